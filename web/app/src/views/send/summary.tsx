import { Network } from "../../coins/coinchoice.tsx";
import { find } from "../../coins/holdings.ts";
import { amountOf, draft, type Transaction } from "../../coins/sending.ts";
import { Address } from "../../ui/address.tsx";
import { Amount } from "../../ui/amount.tsx";
import { channelTo, isElsewhere } from "./form.tsx";

/** What a transaction does, all of it. */
export function Summary({ tx }: { tx: Transaction }) {
  const { coin, to, fee_details: fee, memo, total_amount } = tx;
  const amount = amountOf(tx);
  const over = to.find((address) => isElsewhere(find(coin)?.address ?? "", address));
  return (
    <dl class="summary">
      <dt>To</dt>
      <dd>
        {to.map((address) => (
          <Address key={address} value={address} copy={false} />
        ))}
      </dd>
      <dt>Network</dt>
      <dd>
        <Network ticker={coin} />
      </dd>
      {over !== undefined && (
        <>
          <dt>Over IBC</dt>
          <dd>{channelName(draft.value.channel || String(channelTo(coin, over) ?? "the channel that the node knows"))}</dd>
        </>
      )}
      <dt>Amount</dt>
      <dd>
        <Amount value={amount} unit={coin} />
      </dd>
      <dt>Fee</dt>
      <dd>
        <Amount value={fee.amount} unit={fee.coin} />
      </dd>
      <dt>Total</dt>
      <dd>
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
      </dd>
      {memo !== "" && (
        <>
          <dt>Memo</dt>
          <dd>{memo}</dd>
        </>
      )}
    </dl>
  );
}

const channelName = (text: string): string => (/^\d+$/.test(text.trim()) ? `channel-${text.trim()}` : text);
