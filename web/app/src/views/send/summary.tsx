import { contactOf } from "../../coins/contacts.ts";
import { Network } from "../../coins/coinchoice.tsx";
import { find } from "../../coins/holdings.ts";
import type { Named } from "../../coins/receivers.ts";
import { amountOf, draft, isPlan, type Transaction } from "../../coins/sending.ts";
import { fromUnits, toUnits } from "../../decimal.ts";
import { Address } from "../../ui/address.tsx";
import { Amount } from "../../ui/amount.tsx";
import { Fact } from "../../ui/fact.tsx";
import { channelTo, isElsewhere } from "./form.tsx";

/** What a transaction does, all of it that is known. */
export function Summary({ tx, named = null }: { tx: Transaction; named?: Named | null }) {
  const { coin, to, fee_details: fee, memo } = tx;
  const over = to.find((address) => isElsewhere(find(coin)?.address ?? "", address));
  return (
    <dl class="summary">
      <Fact name="To">
        {to.map((address) => (
          <span key={address} class="receiver">
            {named && (
              <strong class="who">
                {named.name} <small>{named.service}</small>
              </strong>
            )}
            {contactOf(address) && <strong class="who">{contactOf(address)?.name}</strong>}
            <Address value={address} copy={false} />
          </span>
        ))}
      </Fact>
      <Fact name="Network">
        <Network ticker={coin} />
      </Fact>
      {over !== undefined && <Fact name="Over IBC">{channelName(draft.value.channel || String(channelTo(coin, over) ?? "the channel that the node knows"))}</Fact>}
      <Fact name="Amount">{isPlan(tx) && draft.value.all && fee.coin === coin ? "Everything except the fee" : <Amount value={amountOf(tx)} unit={coin} />}</Fact>
      {isPlan(tx) ? <Fact name="Fee">Your wallet shows it, in {fee.coin}</Fact> : <Cost tx={tx} />}
      {memo !== "" && <Fact name="Memo">{memo}</Fact>}
    </dl>
  );
}

/** What is paid, which is known once the transaction is made. */
function Cost({ tx }: { tx: Transaction }) {
  const { coin, fee_details: fee, total_amount } = tx;
  const gas = gasOf(tx);
  return (
    <>
      <Fact name={gas ? "Fee, at most" : "Fee"}>
        <Amount value={fee.amount} unit={fee.coin} />
        {gas && <small class="gas">{gas}</small>}
      </Fact>
      <Fact name={gas ? "Total, at most" : "Total"}>
        <strong>
          <Amount value={total_amount} unit={coin} />
        </strong>
        {fee.coin !== coin && (
          <>
            {" and "}
            <strong>
              <Amount value={fee.amount} unit={fee.coin} />
            </strong>
          </>
        )}
      </Fact>
    </>
  );
}

const WEI = 18;
const GWEI = 9;

/** What the fee of an EVM network is for, in its own words; "" of other chains. */
function gasOf({ fee_details: { type, gas_limit, gas_price } }: Transaction): string {
  const price = type === "Eth" && gas_price !== undefined ? toUnits(gas_price, WEI) : null;
  return price === null ? "" : `${gas_limit} units of gas, for at most ${fromUnits(price, GWEI)} gwei each`;
}

const channelName = (text: string): string => (/^\d+$/.test(text.trim()) ? `channel-${text.trim()}` : text);
