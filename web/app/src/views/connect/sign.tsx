import { busy, confirm, failure, reject, type Description, type Shown } from "../../dapps/requests.ts";
import { t, type Text } from "../../language.ts";
import { Address } from "../../ui/address.tsx";
import { Button } from "../../ui/button.tsx";
import { Fact } from "../../ui/fact.tsx";
import { Fault } from "../../ui/fault.tsx";
import { Title } from "../../ui/title.tsx";
import { Site } from "./site.tsx";
import { useSettled } from "./settled.ts";

const titles: Record<Description["kind"], Text> = {
  send: "connect.sendcoins",
  transfer: "connect.sendtokens",
  approve: "connect.allow",
  call: "connect.call",
  deploy: "connect.deploy",
  message: "connect.message",
  typedData: "connect.data",
  transaction: "connect.transaction",
};

/** Returns the request in words. */
function asks(sends: boolean, kind: Description["kind"]): string {
  if (sends) {
    return t("connect.askssend");
  }
  return kind === "message" || kind === "typedData" ? t("connect.askssign") : t("connect.askssigntx");
}

/** Displays what a signature or a transaction does, and asks for approval. */
export function Sign({ now }: { now: Shown & { is: "sign" } }) {
  const { request, what } = now;
  const settled = useSettled();
  const sends = request.method === "eth_sendTransaction";
  return (
    <>
      <Title text={t(titles[what.kind] ?? "connect.transaction")} />
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
          <Fact name={t("connect.fee")}>
            {what.fee.amount} {what.fee.coin}
          </Fact>
        )}
        <Fact name={t("connect.network")}>
          {what.coin} ({what.chain})
        </Fact>
        <Fact name={t("connect.account")}>
          <Address value={what.address} copy={false} />
        </Fact>
      </dl>
      <Fault error={failure.value} />
      {busy.value && <p role="status">{t("connect.working")}</p>}
      <div class="actions">
        {failure.value === null && (
          <Button type="button" busy={busy.value} disabled={!settled.value} onClick={() => void confirm(now)}>
            {sends ? t("connect.confirm") : t("connect.sign")}
          </Button>
        )}
        <Button type="button" class="secondary" disabled={busy.value} onClick={() => reject(now)}>
          {failure.value === null ? t("connect.reject") : t("close")}
        </Button>
      </div>
    </>
  );
}
