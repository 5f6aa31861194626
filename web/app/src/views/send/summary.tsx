import { contactOf } from "../../coins/contacts.ts";
import { Network } from "../../coins/coinchoice.tsx";
import { Who } from "../../coins/contactform.tsx";
import { find, walletAddresses } from "../../coins/holdings.ts";
import { symbolOf } from "../../coins/names.ts";
import { prices, valueOf } from "../../coins/prices.ts";
import type { Named } from "../../coins/receivers.ts";
import { amountOf, draft, isOverIbc, isPlan, type Transaction } from "../../coins/sending.ts";
import { add, fromUnits, toUnits } from "../../decimal.ts";
import { t } from "../../language.ts";
import { money, written } from "../../money.ts";
import { Address } from "../../ui/address.tsx";
import { Amount } from "../../ui/amount.tsx";
import { Fact } from "../../ui/fact.tsx";
import { lazy } from "../../ui/lazy.tsx";
import { ShortAddress } from "../../ui/shortaddress.tsx";
import { Untrusted } from "../../ui/untrusted.tsx";
import { channelTo } from "./form.tsx";

const NftSent = lazy(() => import("./nftfacts.tsx"), "more");

/**
 * All known effects of a transaction.
 * @param review it is displayed before sending: with full addresses and the resulting balances
 */
export function Summary({ tx, named = null, review = false }: { tx: Transaction; named?: Named | null; review?: boolean }) {
  const { coin, to, fee_details: fee, memo } = tx;
  const over = isOverIbc(tx) ? to[0] : undefined;
  return (
    <dl class="transfer">
      <Fact name={t("send.to")}>
        {to.map((address) => (
          <span key={address} class="receiver">
            {named && (
              <strong class="who">
                {named.name} <small>{named.service}</small>
              </strong>
            )}
            {review ? (
              <>
                {contactOf(address) && <strong class="who"><bdi>{contactOf(address)?.name}</bdi></strong>}
                <Address value={address} copy={false} />
              </>
            ) : (
              <Who address={address} mine={walletAddresses().includes(address)}>
                <ShortAddress value={address} />
              </Who>
            )}
          </span>
        ))}
      </Fact>
      <Fact name={t("send.network")}>
        <Network ticker={coin} />
      </Fact>
      {over !== undefined && <Fact name={t("send.overibc")}>{channelName(draft.value.channel || String(channelTo(coin, over) ?? t("send.knownchannel")))}</Fact>}
      {tx.nft ? <NftSent nft={tx.nft} coin={coin} /> : <Fact name={t("send.howmuch")}>{isPlan(tx) && draft.value.all && fee.coin === coin ? t("send.allbutfee") : <Worth coin={coin} amount={review && amountOf(tx) !== "0" ? `-${amountOf(tx)}` : amountOf(tx)} whole={review} />}</Fact>}
      {isPlan(tx) ? <Fact name={t("activity.fee")}>{t("send.walletfee", { coin: symbolOf(fee.coin) })}</Fact> : <Cost tx={tx} review={review} />}
      {memo !== "" && (
        <Fact name={t("activity.memo")}>
          <Untrusted text={memo} />
        </Fact>
      )}
    </dl>
  );
}

/** The fee, which is known once the transaction is created; and before sending, the remaining balance. */
function Cost({ tx, review }: { tx: Transaction; review: boolean }) {
  const { coin, fee_details: fee, total_amount } = tx;
  const gas = gasOf(tx);
  return (
    <>
      <Fact name={t(gas ? "send.feemost" : "activity.fee")}>
        <Worth coin={fee.coin} amount={review ? `-${fee.amount}` : fee.amount} />
        {gas && <small class="gas">{gas}</small>}
      </Fact>
      {review ? (
        <Left tx={tx} />
      ) : (
        <Fact name={t(gas ? "send.totalmost" : "send.total")}>
          <strong>
            <Amount value={total_amount} unit={symbolOf(coin)} />
          </strong>
          {fee.coin !== coin && (
            <>
              {` ${t("send.and")} `}
              <strong>
                <Amount value={fee.amount} unit={symbolOf(fee.coin)} />
              </strong>
            </>
          )}
        </Fact>
      )}
    </>
  );
}

/** The remaining balance of the coin, and of the one that pays the fee, as far as known. */
function Left({ tx: { coin, fee_details: fee, my_balance_change: change } }: { tx: Transaction }) {
  const changes = fee.coin === coin ? [{ of: coin, change }] : [{ of: coin, change }, { of: fee.coin, change: `-${fee.amount}` }];
  const left = changes.flatMap(({ of, change }) => {
    const balance = find(of)?.balance;
    const then = balance ? add(balance.spendable, change) : "-";
    return then.startsWith("-") ? [] : [{ of, then }];
  });
  return left.length === 0 ? null : (
    <Fact name={t("send.afterwards")}>
      {left.map(({ of, then }) => (
        <strong key={of} class="left">
          <Worth coin={of} amount={then} />
        </strong>
      ))}
    </Fact>
  );
}

/** An amount, with its value if known. */
function Worth({ coin, amount, whole = false }: { coin: string; amount: string; whole?: boolean }) {
  const value = valueOf(coin, amount.replace(/^-/, ""));
  return (
    <>
      <Amount value={amount} unit={symbolOf(coin)} whole={whole} />
      {value !== null && <small class="worth"> ≈ {money(value, prices.value?.currency)}</small>}
    </>
  );
}

const WEI = 18;
const GWEI = 9;

/** Returns the gas of an EVM fee in words; "" for other chains. */
function gasOf({ fee_details: { type, gas_limit, gas_price } }: Transaction): string {
  const price = type === "Eth" && gas_price !== undefined ? toUnits(gas_price, WEI) : null;
  return price === null ? "" : t("send.gas", { limit: gas_limit, price: written(fromUnits(price, GWEI)) });
}

const channelName = (text: string): string => (/^\d+$/.test(text.trim()) ? `channel-${text.trim()}` : text);
