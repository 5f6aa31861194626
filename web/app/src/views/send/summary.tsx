import { Network } from "../../coins/coinchoice.tsx";
import { find } from "../../coins/holdings.ts";
import { amountOf, draft, type Transaction } from "../../coins/sending.ts";
import { Address } from "../../ui/address.tsx";
import { Amount } from "../../ui/amount.tsx";
import { Fact } from "../../ui/fact.tsx";
import { channelTo, isElsewhere } from "./form.tsx";

/** What a transaction does, all of it. */
export function Summary({ tx }: { tx: Transaction }) {
  const { coin, to, fee_details: fee, memo, total_amount } = tx;
  const amount = amountOf(tx);
  const over = to.find((address) => isElsewhere(find(coin)?.address ?? "", address));
  return (
    <dl class="summary">
      <Fact name="To">
        {to.map((address) => (
          <Address key={address} value={address} copy={false} />
        ))}
      </Fact>
      <Fact name="Network">
        <Network ticker={coin} />
      </Fact>
      {over !== undefined && <Fact name="Over IBC">{channelName(draft.value.channel || String(channelTo(coin, over) ?? "the channel that the node knows"))}</Fact>}
      <Fact name="Amount">
        <Amount value={amount} unit={coin} />
      </Fact>
      <Fact name="Fee">
        <Amount value={fee.amount} unit={fee.coin} />
      </Fact>
      <Fact name="Total">
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
      {memo !== "" && <Fact name="Memo">{memo}</Fact>}
    </dl>
  );
}

const channelName = (text: string): string => (/^\d+$/.test(text.trim()) ? `channel-${text.trim()}` : text);
