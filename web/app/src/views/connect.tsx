import { connection } from "../node.ts";
import { link } from "../dapps/link.ts";
import { failure, more, outcome, rejectAll, shown } from "../dapps/requests.ts";
import { href } from "../route.ts";
import { Progress } from "../ui/progress.tsx";
import { Title } from "../ui/title.tsx";
import { Accounts } from "./connect/accounts.tsx";
import { Native } from "./connect/native.tsx";
import { Sign } from "./connect/sign.tsx";
import "../coins/coins.css";
import "./connect.css";

/** What the site that opened this window asks, one thing at a time. */
export default function Connect() {
  const now = shown.value;
  if (!link.value) {
    return (
      <>
        <Title text="Connect" />
        <p>
          No site is asking. A site that supports this wallet opens this page in a window of its own. <a href={href("")}>Open the wallet</a>
        </p>
      </>
    );
  }
  if (!now) {
    return connection.value ? <Nothing /> : <Progress label="Starting the node" />;
  }
  return (
    <>
      {now.is === "connect" ? <Accounts key={`${now.request.id} ${now.offers.length}`} now={now} /> : now.is === "sign" ? <Sign key={now.request.id} now={now} /> : <Native key={now.request.id} now={now} />}
      {more.value > 0 && failure.value === null && (
        <p class="muted">
          {more.value} more {more.value === 1 ? "request waits" : "requests wait"}.{" "}
          <button type="button" class="quiet" onClick={rejectAll}>
            Reject all
          </button>
        </p>
      )}
    </>
  );
}

function Nothing() {
  return (
    <>
      <Title text="Nothing to confirm" />
      {outcome.value && <p role="status">{outcome.value}</p>}
      <p>
        Keep this window open while you use <strong>{link.value?.origin}</strong>. Closing it rejects what the site asks.
      </p>
    </>
  );
}
