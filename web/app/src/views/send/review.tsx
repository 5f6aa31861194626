import { looksLike } from "../../coins/addresses.ts";
import { find, ownAddresses } from "../../coins/holdings.ts";
import { knownAddresses, type Named } from "../../coins/receivers.ts";
import { amountOf, back, draft, isPlan, send, type Transaction } from "../../coins/sending.ts";
import { add } from "../../decimal.ts";
import { Address } from "../../ui/address.tsx";
import { Button } from "../../ui/button.tsx";
import { Form } from "../../ui/form.tsx";
import { useLoad } from "../../ui/task.ts";
import { useOtherCoin } from "./route.ts";
import { Summary } from "./summary.tsx";

/** The last look, at the transaction as it was signed, or as a wallet is to make it. */
export function Review({ tx, named }: { tx: Transaction; named: Named | null }) {
  useOtherCoin();
  const own = ownAddresses();
  const known = useLoad(() => knownAddresses(tx.coin, own), [tx]).value.value;
  return (
    <Form onSubmit={() => void (known && send(tx, named))}>
      <Summary tx={tx} named={named} />
      <Left tx={tx} />
      {tx.to.map((address) => (
        <Compared key={address} address={address} own={own} known={known} />
      ))}
      <div class="actions">
        <Button disabled={known === null}>
          {isPlan(tx) && draft.value.all ? "Send all of it" : `Send ${amountOf(tx)} ${tx.coin}`}
        </Button>
        <button type="button" class="secondary" onClick={back}>
          Back
        </button>
      </div>
    </Form>
  );
}

/** What is left of the coin, if that is known. */
function Left({ tx }: { tx: Transaction }) {
  const balance = find(tx.coin)?.balance;
  if (!balance || draft.value.all || isPlan(tx)) {
    return null;
  }
  const left = add(balance.spendable, `-${tx.spent_by_me}`, tx.received_by_me);
  return left.startsWith("-") ? null : (
    <p class="muted">
      You keep {left} {tx.coin}.
    </p>
  );
}

/** Whether an address is known, and a warning of one that is easily taken for another. Its place is taken from the beginning. */
function Compared({ address, own, known }: { address: string; own: readonly string[]; known: Set<string> | null }) {
  const other = known && !known.has(address) ? looksLike(address, known) : null;
  if (other === null) {
    return <p class="note">{own.includes(address) ? "This is your own address." : known === null ? "Looking whether you know this address…" : known.has(address) ? "You have sent to this address before." : "You have not sent to this address before, as far as this wallet knows."}</p>;
  }
  return (
    <div class="note warn" role="alert">
      <p>
        <strong>This address is not the one that you know.</strong> It begins and ends like one that you have used, and differs in between. Somebody may have made it to be mistaken for the other. Compare all of it with the one that you know:
      </p>
      <p>
        <Address value={other} copy={false} />
      </p>
    </div>
  );
}
