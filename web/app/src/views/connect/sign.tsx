import { busy, confirm, failure, reject, type Description, type Shown } from "../../dapps/requests.ts";
import { Address } from "../../ui/address.tsx";
import { Button } from "../../ui/button.tsx";
import { Fact } from "../../ui/fact.tsx";
import { Fault } from "../../ui/fault.tsx";
import { Title } from "../../ui/title.tsx";
import { Site } from "./site.tsx";
import { useSettled } from "./settled.ts";

const titles: Record<Description["kind"], string> = {
  send: "Send coins?",
  transfer: "Send tokens?",
  approve: "Allow spending?",
  call: "Call a contract?",
  deploy: "Deploy a contract?",
  message: "Sign a message?",
  typedData: "Sign data?",
  transaction: "Sign a transaction?",
};

/** What the site asks for. */
function asks(sends: boolean, kind: Description["kind"]): string {
  if (sends) {
    return "asks you to send this transaction.";
  }
  return kind === "message" || kind === "typedData" ? "asks you to sign this." : "asks you to sign this transaction, which it can send then.";
}

/** Shows what a signature or a transaction does, and asks for a yes. */
export function Sign({ now }: { now: Shown & { is: "sign" } }) {
  const { request, what } = now;
  const settled = useSettled();
  const sends = request.method === "eth_sendTransaction";
  return (
    <>
      <Title text={titles[what.kind] ?? "Sign a transaction?"} />
      <Site origin={request.from.origin} asks={asks(sends, what.kind)} />
      {what.warnings.map((warning, n) => (
        <p key={n} class="note warn">
          {warning}
        </p>
      ))}
      <dl class="asked">
        {what.lines.map(({ name, value }, n) => (
          <Fact key={n} name={name}>
            {value}
          </Fact>
        ))}
        {what.fee && (
          <Fact name="Fee, at most">
            {what.fee.amount} {what.fee.coin}
          </Fact>
        )}
        <Fact name="Network">
          {what.coin} ({what.chain})
        </Fact>
        <Fact name="Your account">
          <Address value={what.address} copy={false} />
        </Fact>
      </dl>
      <Fault error={failure.value} />
      {busy.value && <p role="status">Working. If the key is on a device or in another wallet, confirm there too.</p>}
      <div class="actions">
        {failure.value === null && (
          <Button type="button" busy={busy.value} disabled={!settled.value} onClick={() => void confirm(now)}>
            {sends ? "Confirm and send" : "Sign"}
          </Button>
        )}
        <Button type="button" class="secondary" disabled={busy.value} onClick={() => reject(now)}>
          {failure.value === null ? "Reject" : "Close"}
        </Button>
      </div>
    </>
  );
}
