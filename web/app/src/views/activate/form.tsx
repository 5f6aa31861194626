import { useSignal } from "@preact/signals";
import { activate, activation, forgetInterrupted, interrupted, type Wanted } from "../../coins/activation.ts";
import { chainOf, tokens as allTokens } from "../../coins/catalog.ts";
import { focusWrong } from "../../coins/focus.ts";
import { addressFault, creationFault, serverFaults } from "../../coins/reasons.ts";
import { settingsOf } from "../../coins/remembered.ts";
import { connection } from "../../node.ts";
import { profile } from "../../session/session.ts";
import { Button } from "../../ui/button.tsx";
import { Check } from "../../ui/check.tsx";
import { Fault } from "../../ui/fault.tsx";
import { Field } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { Servers } from "./servers.tsx";

/** Whether the keys of this wallet are in the browser's wallet, all of them. */
const isExternal = (): boolean => connection.peek()?.kind === "page" && profile.peek()?.page?.kind === "external";

/** What was asked for before, if it came to nothing or was cut off; else what worked the last time. */
function before(ticker: string): Wanted {
  const last = activation.peek();
  const [failed, cut] = [last?.wanted, interrupted.peek()].map((wanted) => (wanted?.ticker === ticker ? wanted : undefined));
  const none = { ticker, tokens: [], nodes: [], api: "", history: true, external: isExternal() };
  return failed ?? cut ?? { ...none, ...settingsOf(ticker) };
}

/** How a chain's coin is to be activated. */
export function ActivateForm({ ticker, other }: { ticker: string; other: string }) {
  const name = useSignal(ticker || other);
  const start = before(name.peek());
  const tokens = useSignal<readonly string[]>(start.tokens);
  const nodes = useSignal<readonly string[]>(start.nodes.length > 0 ? start.nodes : [""]);
  const api = useSignal(start.api);
  const history = useSignal(start.history);
  const external = useSignal(start.external);
  const asked = useSignal(false);
  const chosen = name.value.trim();
  const inPage = connection.value?.kind === "page";
  const given = nodes.value.map((url) => url.trim()).filter(Boolean);
  const submit = () => {
    asked.value = true;
    if (chosen === "" || given.length === 0 || given.some((url) => addressFault(url, inPage))) {
      focusWrong();
    } else {
      void activate({ ticker: chosen, tokens: [...tokens.value], nodes: given, api: external.value ? api.value.trim() : "", history: history.value, external: external.value });
    }
  };
  const toggle = (token: string, on: boolean) => (tokens.value = on ? [...tokens.value, token] : tokens.value.filter((one) => one !== token));
  return (
    <Form onSubmit={submit}>
      <Outcome ticker={chosen} />
      {ticker === "" && <Field label="Ticker" hint="As the node's coins file has it, of a chain of the Cosmos family" value={name.value} onText={(text) => (name.value = text)} error={asked.value && chosen === "" ? "Which coin?" : ""} required />}
      <Tokens platform={chosen} chosen={tokens.value} onToggle={toggle} />
      <Servers chain={chainOf(chosen)} nodes={nodes.value} onNodes={(list) => (nodes.value = list)} error={(url, n) => (!asked.value ? "" : given.length === 0 ? (n === 0 ? "The node needs at least one server of the chain." : "") : addressFault(url, inPage))} />
      {inPage && !isExternal() && (
        <fieldset class="column">
          <legend>Key</legend>
          <Check name="key" checked={!external.value} onCheck={() => (external.value = false)}>
            This wallet's own
          </Check>
          <Check name="key" checked={external.value} onCheck={() => (external.value = true)}>
            Keplr <small>The browser's wallet has the key, and asks you before it signs</small>
          </Check>
        </fieldset>
      )}
      {external.value && (
        <details>
          <summary>If Keplr does not know this chain</summary>
          <Field label="REST address of a server" hint="Keplr is told of the chain with this address and the first one above." type="url" value={api.value} onText={(text) => (api.value = text)} />
        </details>
      )}
      <Check checked={history.value} onCheck={(on) => (history.value = on)}>
        Keep the history of its transactions
      </Check>
      <div class="actions">
        <Button>Activate {chosen}</Button>
      </div>
    </Form>
  );
}

/** Tokens of a chain, to tick. */
export function Tokens({ platform, chosen, onToggle, without = [] }: { platform: string; chosen: readonly string[]; onToggle: (token: string, on: boolean) => void; without?: readonly string[] }) {
  const list = allTokens.filter((token) => token.platform === platform && !without.includes(token.ticker));
  if (list.length === 0) {
    return null;
  }
  return (
    <fieldset class="column">
      <legend>Tokens on this chain</legend>
      {list.map(({ ticker, name }) => (
        <Check key={ticker} checked={chosen.includes(ticker)} onCheck={(on) => onToggle(ticker, on)}>
          {ticker} <small>{name} over IBC</small>
        </Check>
      ))}
    </fieldset>
  );
}

/** What came of the last try. */
function Outcome({ ticker }: { ticker: string }) {
  const last = activation.value;
  if (interrupted.value?.ticker === ticker) {
    return (
      <div class="note">
        <p>
          The page was loaded anew while {ticker} was being activated. If the node finishes it all the same, it appears below by itself; otherwise activate it again.
        </p>
        <button type="button" class="quiet" onClick={forgetInterrupted}>
          Do not wait for it
        </button>
      </div>
    );
  }
  if (last?.wanted.ticker !== ticker) {
    return null;
  }
  if (last.is === "cancelled") {
    return (
      <div class="note" role="status">
        <p>Cancelled. {ticker} does not become active.</p>
      </div>
    );
  }
  return last.is === "failed" ? <Failed error={last.error} /> : null;
}

function Failed({ error }: { error: unknown }) {
  const servers = serverFaults(error);
  const wrong = creationFault(error);
  if (!servers && wrong === null) {
    return <Fault error={error} />;
  }
  return (
    <div class="fault" role="alert">
      <p>
        <strong>{servers ? "No server of the coin can be used, so nothing was activated." : "The coin cannot be activated like this."}</strong>
      </p>
      {servers ? (
        <ul class="reasons">
          {servers.map(({ url, what, todo, reason }) => (
            <li key={url}>
              <code>{url}</code>
              <br />
              {what} {todo}
              <details>
                <summary>Details</summary>
                <code>{reason}</code>
              </details>
            </li>
          ))}
        </ul>
      ) : (
        <p>{wrong}</p>
      )}
    </div>
  );
}
