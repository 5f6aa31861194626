import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Who } from "../../coins/contactform.tsx";
import { txLink } from "../../coins/directory.ts";
import { walletAddresses } from "../../coins/holdings.ts";
import { remarkOf } from "../../coins/meaning.ts";
import { coinName, fullName, symbolOf } from "../../coins/names.ts";
import { outbox } from "../../coins/outbox.ts";
import { isEvm } from "../../coins/family.ts";
import { sendsItself } from "../../coins/keyplace.ts";
import { replace, type Instead } from "../../coins/sending.ts";
import { priceAt } from "../../coins/prices.ts";
import { t } from "../../language.ts";
import { money } from "../../money.ts";
import { go, href } from "../../route.ts";
import { Amount } from "../../ui/amount.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Fact } from "../../ui/fact.tsx";
import { Fault } from "../../ui/fault.tsx";
import { Outside } from "../../ui/outside.tsx";
import { ShortAddress } from "../../ui/shortaddress.tsx";
import { useTask } from "../../ui/task.ts";
import { Untrusted } from "../../ui/untrusted.tsx";
import { when } from "../../ui/when.ts";
import type { Item } from "./list.ts";

/** The details of a transaction, at the side of the list. */
export function Sheet({ item, onClose }: { item: Item; onClose: () => void }) {
  const { coin, what, change, time, hash, others, entry } = item;
  const link = txLink(coin, hash);
  const mine = walletAddresses();
  return (
    <Dialog title={what} onClose={onClose} side>
      {change !== "0" && (
        <>
          <p class="exact">
            <Amount value={change} unit={symbolOf(coin)} />
          </p>
          <Then item={item} />
        </>
      )}
      <dl>
        <Fact name={t("view.coin")}>
          {coinName(coin)} <small>{fullName(coin)}</small>
        </Fact>
        <Fact name={t("activity.when")}>{time === 0 ? t(item.pending ? "activity.pending" : "activity.unknowntime") : when(new Date(time * 1000))}</Fact>
        <Fact name={t("activity.state")}>{item.pending ? t("activity.waiting") : entry ? t("activity.confirmed", { block: String(entry.block_height) }) : t("activity.done")}</Fact>
        {others.length > 0 && (
          <Fact name={!entry || change.startsWith("-") ? t("activity.receiver") : t("activity.sender")}>
            {others.map((address) => (
              <p key={address} class="party">
                <Who address={address} mine={mine.includes(address)}>
                  <ShortAddress value={address} what={t("activity.theaddress", { address })} />
                </Who>
              </p>
            ))}
          </Fact>
        )}
        {entry && entry.spent_by_me !== "0" && (
          <Fact name={t("activity.fee")}>
            <Amount value={entry.fee_details.amount} unit={symbolOf(entry.fee_details.coin)} />
          </Fact>
        )}
        {entry && entry.memo !== "" && (
          <Fact name={t(entry.spent_by_me === "0" ? "activity.theirmemo" : "activity.memo")}>
            <Untrusted text={entry.memo} />
          </Fact>
        )}
        <Fact name={t("activity.hash")}>
          <ShortAddress value={isEvm(coin) && !hash.startsWith("0x") ? `0x${hash}` : hash} what={t("activity.thehash")} />
        </Fact>
      </dl>
      {entry && remarkOf(entry) && <p class="muted">{remarkOf(entry)}</p>}
      <Hurry item={item} onClose={onClose} />
      <div class="actions">
        {link && <Outside href={link}>{t("explorer")}</Outside>}
        <a href={href("history", [coin])}>{t("activity.ofcoin", { coin: symbolOf(coin) })}</a>
        <button type="button" class="secondary" onClick={onClose}>
          {t("close")}
        </button>
      </div>
    </Dialog>
  );
}

/** Buttons for a pending transfer of an EVM network: speed it up with a higher fee, or cancel it. */
function Hurry({ item: { coin, hash, pending }, onClose }: { item: Item; onClose: () => void }) {
  const one = outbox.value.find((sent) => sent.hash === hash && sent.coin === coin);
  const task = useTask(async (instead: Instead) => {
    if (one) {
      await replace(one, instead);
      onClose();
      go("send", [coin]);
    }
  });
  if (!pending || !one || !isEvm(coin) || sendsItself(coin)) {
    return null;
  }
  return (
    <>
      <Fault error={task.error.value} />
      <div class="actions">
        {(["speedup", "cancel"] as const).map((instead) => (
          <Button key={instead} type="button" class="secondary" busy={task.busy.value} onClick={() => void task.run(instead)}>
            {t(instead === "speedup" ? "send.speedup" : "send.cancel")}
          </Button>
        ))}
      </div>
    </>
  );
}

/** The value at the time, if the price service knows it. */
function Then({ item: { coin, change, time } }: { item: Item }) {
  const then = useSignal<{ price: string; currency: string } | null>(null);
  useEffect(() => {
    let over = false;
    void priceAt(coin, time).then((price) => over || (then.value = price));
    return () => void (over = true);
  }, [coin, time]);
  return <p class="under">{then.value ? t("activity.then", { value: money(Math.abs(Number(change) * Number(then.value.price)), then.value.currency) }) : " "}</p>;
}
