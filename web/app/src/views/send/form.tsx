import { useSignal } from "@preact/signals";
import { useLayoutEffect } from "preact/hooks";
import type { ComponentChildren, ComponentType } from "preact";
import { t } from "../../language.ts";
import { isElsewhere, isName, plain, prefixOf } from "../../coins/addresses.ts";
import { chainOf, platformOf } from "../../coins/catalog.ts";
import { CoinChoice } from "../../coins/coinchoice.tsx";
import { familyOf, isEvm } from "../../coins/family.ts";
import { contactNamed } from "../../coins/contacts.ts";
import { DeviceStep } from "../../coins/devicestep.tsx";
import { Switched } from "../../coins/external.tsx";
import { symbolOf } from "../../coins/names.ts";
import { keyOf, sendsItself, signerOf } from "../../coins/keyplace.ts";
import type { Holding } from "../../coins/holdings.ts";
import { faultsIn, faultsOf, isAny, withLikely, type Faults } from "../../coins/sendfaults.ts";
import { learn, requestFault, taken } from "../../coins/payable.ts";
import { phraseFault } from "../../coins/phrase.ts";
import { isRequest } from "../../coins/request.ts";
import { back, draft, make, stage, type Draft, type Stage } from "../../coins/sending.ts";
import { Button } from "../../ui/button.tsx";
import { Fault } from "../../ui/fault.tsx";
import { Field } from "../../ui/field.tsx";
import { focusWrong } from "../../ui/focus.ts";
import { Form } from "../../ui/form.tsx";
import { hasSpeeds } from "../../coins/speeds.ts";
import { AmountField, type AmountProperties } from "./amountfield.tsx";
import { Receiver } from "./receiver.tsx";
import { SentFrom } from "./sentfrom.tsx";
import { Speeds } from "./speeds.tsx";

/** Returns the channel that the node would use to the chain of an address; undefined if none is known. */
export const channelTo = (coin: string, address: string): number | undefined => chainOf(coin)?.channels[prefixOf(address) ?? ""];

/** Returns the chain of a receiver: the prefix of its address, or the name. */
const towards = (to: string): string | null => (isName(to) ? plain(to) : prefixOf(plain(to)));

/** Texts by signer: who asks for a signature, and where it is given. */
const signs = { wallet: "send.walletsigns", keplr: "send.keplrsigns", device: "send.devicesigns" } as const;
const confirms = { wallet: "send.inwallet", keplr: "send.inkeplr", device: "send.ondevice" } as const;

/** Returns why the draft was not sent. */
const errorIn = (now: Stage): unknown => (now.is === "draft" ? now.error : null);

/** The form for the receiver and the amount. children: what is sent, if it is not the coin. */
export function SendForm({ holding, HowMuch = AmountField, children = <CoinChoice view="send" ticker={holding.ticker} disabled={stage.value.is === "asking"} /> }: { holding: Holding; HowMuch?: ComponentType<AmountProperties>; children?: ComponentChildren }) {
  const { ticker, address, balance } = holding;
  const evm = isEvm(ticker);
  const now = draft.value;
  const local = useSignal<Faults>({});
  const learning = useSignal(""); // the request that is being prepared
  const checked = useSignal<{ amount: string; faults: Faults } | null>(null);
  const asking = stage.value.is === "asking";
  const error = errorIn(stage.value);
  const said = faultsIn(error, now);
  const faults = { ...said, ...local.value };
  if (!faults.amount && checked.value?.amount === now.amount) {
    // The balance may have arrived after the other faults, which may be corrected by now.
    faults.amount = withLikely(checked.value.faults, now, balance?.spendable).amount ?? "";
  }
  if (now.amount.trim().startsWith("-")) {
    faults.amount ||= faultsOf(now, evm).amount ?? ""; // at once: typing more does not correct it
  }
  if (learning.value !== now.to) {
    faults.to ||= requestFault(now.to, now);
  }
  const change = (news: Partial<Draft>) => {
    const before = draft.peek();
    // A channel leads to one chain: it is not used for a receiver on another one, which may have no field for it.
    const leads = news.to === undefined || towards(news.to) === towards(before.to);
    draft.value = { ...before, ...(leads ? {} : { channel: "" }), ...news };
    local.value = { ...said, ...local.value, ...Object.fromEntries(Object.keys(news).map((field) => [field === "all" || field === "fiat" ? "amount" : field, ""])) };
  };
  const take = (to: string) => {
    change({ to, unused: "" });
    if (isRequest(to)) {
      learning.value = to;
      void learn(ticker).then(() => {
        if (learning.peek() === to && draft.peek().to === to) {
          learning.value = "";
          requestFault(to, draft.peek()) === "" && change(taken(to, draft.peek()) ?? {});
        }
      });
    }
  };
  const check = (found: Faults) => (checked.value = isAny(found) && !found.amount ? { amount: draft.peek().amount, faults: found } : null);
  const submit = async () => {
    const contact = contactNamed(draft.peek().to, familyOf(ticker));
    contact && change({ to: contact.address });
    const wrong: Faults = { ...faultsOf(draft.peek(), evm), memo: await phraseFault(draft.peek().memo) };
    wrong.to = requestFault(draft.peek().to, draft.peek()) || (wrong.to ?? "");
    if (isAny(wrong)) {
      // The node's errors still apply to fields that are unchanged.
      const still = Object.fromEntries(Object.entries(said ?? {}).filter(([field]) => local.peek()[field as keyof Faults] !== ""));
      local.value = { ...local.peek(), ...wrong, ...still };
      check(local.peek());
      focusWrong();
      return;
    }
    local.value = {};
    checked.value = null;
    await make();
    check(faultsIn(errorIn(stage.peek()), draft.peek()) ?? {});
    focusWrong();
  };
  // A user who leaves while the transaction is being created does not get its review later.
  useLayoutEffect(() => () => void (stage.peek().is === "asking" && back()), []);
  const elsewhere = isElsewhere(address, now.to);
  const platform = evm ? platformOf(ticker) : null;
  const place = keyOf(ticker);
  const signer = signerOf(ticker);
  return (
    <div class="narrowform">
      {place === "browser" && <Switched />}
      {children}
      <Form onSubmit={() => void (asking || submit())}>
        <Receiver ticker={ticker} mine={address} value={now.to} unused={now.unused ?? ""} onText={take} error={faults.to} disabled={asking} />
        {(elsewhere || faults.channel) && <Elsewhere ticker={ticker} to={now.to} channel={now.channel} onChannel={(channel) => change({ channel })} error={faults.channel} />}
        <HowMuch holding={holding} draft={now} onChange={change} error={faults.amount} disabled={asking} platform={platform} />
        {!evm && <Field label={t("send.memo")} name="memo" hint={t("send.memohint")} value={now.memo} onText={(memo) => change({ memo })} error={faults.memo} disabled={asking} />}
        {hasSpeeds(ticker) && <Speeds ticker={ticker} speed={now.speed} onSpeed={(speed) => change({ speed })} disabled={asking} />}
        {!said && <Fault error={error} />}
        {place !== "own" && <p class="note">{t(sendsItself(ticker) ? "send.itself" : signs[signer])}</p>}
        {place === "device" && asking && <DeviceStep family={familyOf(ticker)} />}
        <div class="actions">
          <Button busy={asking}>{t(!asking ? "coins.continue" : place !== "own" && !sendsItself(ticker) ? confirms[signer] : "send.asking")}</Button>
          {asking && (
            <button type="button" class="secondary" onClick={back}>
              {t("send.stop")}
            </button>
          )}
        </div>
      </Form>
      <SentFrom ticker={ticker} />
    </div>
  );
}

interface ElsewhereProperties {
  ticker: string;
  to: string;
  channel: string;
  onChannel: (channel: string) => void;
  error: string | undefined;
}

function Elsewhere({ ticker, to, channel, onChannel, error }: ElsewhereProperties) {
  const known = channelTo(ticker, to.trim());
  return (
    <div class="note">
      <p>
        {t("send.elsewhere", { coin: symbolOf(ticker) })}
      </p>
      <Field
        label={t("send.channel")}
        name="channel"
        placeholder={known === undefined ? "" : `channel-${known}`}
        hint={t("send.channelhint")}
        value={channel}
        onText={onChannel}
        error={error}
      />
    </div>
  );
}
