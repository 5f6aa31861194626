import { useLayoutEffect } from "preact/hooks";
import { isSame, looksLike } from "../../coins/addresses.ts";
import { contactOf } from "../../coins/contacts.ts";
import { isEvm } from "../../coins/family.ts";
import { walletAddresses } from "../../coins/holdings.ts";
import { symbolOf } from "../../coins/names.ts";
import { sentNow, whatIn } from "../../coins/outbox.ts";
import { knownAddresses, recentReceivers, type Named } from "../../coins/receivers.ts";
import { amountOf, back, begin, draft, empty, isPlan, send, stage, type Instead, type Order, type Transaction } from "../../coins/sending.ts";
import { t } from "../../language.ts";
import { go } from "../../route.ts";
import { rpc } from "../../node.ts";
import { Address } from "../../ui/address.tsx";
import { Button } from "../../ui/button.tsx";
import { Form } from "../../ui/form.tsx";
import { Icon } from "../../ui/icon.tsx";
import { useLoad } from "../../ui/task.ts";
import { useOtherCoin } from "./route.ts";
import { Summary } from "./summary.tsx";

/** The last step before sending: the transaction as it was signed, or as a wallet will create it. */
export function Review({ tx, order, named, instead }: { tx: Transaction; order: Order; named: Named | null; instead?: Instead }) {
  useOtherCoin();
  // A review is discarded when the user leaves it: at once, since the user may return before the next frame.
  useLayoutEffect(() => () => void (stage.peek().is === "review" && (instead ? begin(empty(tx.coin)) : back())), []);
  const mine = walletAddresses();
  const known = useLoad(() => knownAddresses(tx.coin, mine), [tx]).value.value;
  return (
    <Form onSubmit={() => void (known && send(tx, named, order))}>
      <Summary tx={tx} named={named} review />
      {instead && <p class="note">{t(instead === "cancel" ? "send.cancels" : "send.replaces")}</p>}
      {!instead && isSimulated(tx) && (
        <p class="note good">
          <Icon name="check" />
          {t("send.simulated")}
        </p>
      )}
      {!instead && isPending(tx) && (
        <p class="note warn" role="alert">
          {t("send.twice")}
        </p>
      )}
      {!instead && tx.to.map((address) => <Compared key={address} coin={tx.coin} isNft={!!tx.nft} address={address} own={mine} known={known} />)}
      <div class="actions">
        <Button disabled={known === null}>
          {instead ? t(instead === "cancel" ? "send.cancel" : "send.speedup") : isPlan(tx) && draft.value.all ? t("send.sendall") : t("send.sendone", { what: whatIn({ ...tx, coin: symbolOf(tx.coin), amount: amountOf(tx) }) })}
        </Button>
        <button type="button" class="secondary" onClick={instead ? leave : back}>
          {t("back")}
        </button>
      </div>
    </Form>
  );
}

/** Reports whether a payment of the same amount to the same receiver has no known outcome. */
const isPending = (tx: Transaction): boolean =>
  sentNow().some(({ coin, to, amount, height, hash }) => height === null && hash !== tx.tx_hash && coin === tx.coin && amount === amountOf(tx) && isSame(to[0] ?? "", tx.to[0] ?? ""));

/** Leaves the pending transaction as it is. */
function leave() {
  begin(empty(draft.peek().coin));
  go("activity");
}

/** A warning if the receiver is a contract. It is missing if the node does not know. */
function Contract({ coin, address }: { coin: string; address: string }) {
  const { value } = useLoad(() => rpc("is_contract", { coin, address }), [coin, address]);
  return value.value?.is_contract ? (
    <p class="note warn" role="alert">
      <strong>{t("send.iscontract")}</strong> {t("send.iscontractabout")}
    </p>
  ) : null;
}

/** The gas of transfers on chains without simulation: core/wallet/cosmos/tx. */
const NOT_SIMULATED = [125_000, 150_000];

/** Reports whether the network has simulated the transaction. One that fails is rejected before the review. */
const isSimulated = (tx: Transaction): boolean => !isPlan(tx) && (tx.fee_details.type === "Eth" ? tx.simulated === true : !NOT_SIMULATED.includes(tx.fee_details.gas_limit));

/** Whether the address is known, and a warning if it is similar to a known one. Its space is reserved. */
function Compared({ coin, isNft, address, own, known }: { coin: string; isNft: boolean; address: string; own: readonly string[]; known: Set<string> | null }) {
  const isKnown = known !== null && [...known].some((one) => isSame(one, address));
  const other = known && !isKnown ? looksLike(address, known) : null;
  if (other === null) {
    const isMine = own.some((one) => isSame(one, address));
    const isSent = recentReceivers(coin).some((one) => isSame(one, address));
    return (
      <>
        <p class="note">{t(isMine ? "send.own" : known === null ? "send.looking" : isSent ? "send.known" : isKnown ? "send.contact" : isNft ? "send.nftfirst" : "send.first")}</p>
        {isEvm(coin) && !isMine && <Contract coin={coin} address={address} />}
      </>
    );
  }
  const contact = contactOf(other);
  return (
    <div class="note warn" role="alert">
      <p>
        <strong>{t("send.twin")}</strong> {t("send.twinabout")}
      </p>
      <p>
        {contact && <strong><bdi>{contact.name}</bdi> </strong>}
        <Address value={other} copy={false} />
      </p>
    </div>
  );
}
