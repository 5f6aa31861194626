import { looksLike } from "../../coins/addresses.ts";
import { find, holdings } from "../../coins/holdings.ts";
import { amountOf, back, draft, knownAddresses, send, type Transaction } from "../../coins/sending.ts";
import { add } from "../../decimal.ts";
import { Address } from "../../ui/address.tsx";
import { Button } from "../../ui/button.tsx";
import { Form } from "../../ui/form.tsx";
import { useLoad } from "../../ui/task.ts";
import { useOtherCoin } from "./route.ts";
import { Summary } from "./summary.tsx";

/** The last look, at the transaction as it was signed. */
export function Review({ tx }: { tx: Transaction }) {
  useOtherCoin();
  const amount = amountOf(tx);
  return (
    <Form onSubmit={() => void send(tx)}>
      <Summary tx={tx} />
      <Left tx={tx} />
      {tx.to.map((address) => (
        <Similar key={address} address={address} coin={tx.coin} />
      ))}
      <div class="actions">
        <Button>
          Send {amount} {tx.coin}
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
  if (!balance || draft.value.all) {
    return null;
  }
  const left = add(balance.spendable, `-${tx.spent_by_me}`, tx.received_by_me);
  return left.startsWith("-") ? null : (
    <p class="muted">
      You keep {left} {tx.coin}.
    </p>
  );
}

/** Warns of an address that is easily taken for another one. */
function Similar({ address, coin }: { address: string; coin: string }) {
  const own = (holdings.value ?? []).map((holding) => holding.address).filter(Boolean);
  const known = useLoad(() => knownAddresses(coin, own), [coin]).value.value;
  if (own.includes(address)) {
    return <p class="note">This is an address of your own.</p>;
  }
  if (!known || known.has(address)) {
    return known && <p class="note">You have sent to this address before.</p>;
  }
  const other = looksLike(address, known);
  return (
    other && (
      <div class="note warn" role="alert">
        <p>
          <strong>This address is not the one that you know.</strong> It begins and ends like one that you have used, and differs in between. Somebody may have made it to be mistaken for the other. Compare all of it:
        </p>
        <p>
          <Address value={other} copy={false} /> is the one that you know.
        </p>
      </div>
    )
  );
}
