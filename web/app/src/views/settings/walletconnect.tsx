import { useSignal } from "@preact/signals";
import { relayFault } from "../../coins/relayfault.ts";
import { connection, relay, rpc } from "../../node.ts";
import { restartNode } from "../../session/session.ts";
import { announce } from "../../ui/announce.tsx";
import { Button } from "../../ui/button.tsx";
import { Fault } from "../../ui/fault.tsx";
import { Field } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { useLoad, useTask } from "../../ui/task.ts";
import { when } from "../../ui/when.ts";

/** Wallets that are reached over WalletConnect: the relay, and the sessions. */
export function WalletConnect() {
  return (
    <section class="settings">
      <h2>WalletConnect</h2>
      {connection.value?.kind === "page" && <Relay />}
      {connection.value && <Paired />}
    </section>
  );
}

/** The node in this page knows a relay from here; a native one from its config. */
function Relay() {
  const start = relay.get();
  const [project, url, wrong] = [useSignal(start.project), useSignal(start.url), useSignal({ project: "", url: "" })];
  const task = useTask(async () => {
    const [id, address] = [project.peek().trim(), url.peek().trim()];
    wrong.value = {
      project: /^[A-Za-z0-9-]{0,64}$/.test(id) ? "" : "A project ID has up to 64 letters, digits and hyphens.",
      url: address === "" || /^wss?:\/\/[^?#@]+$/.test(address) ? "" : "A relay's address begins with wss:// and has no user and no query.",
    };
    if (wrong.peek().project || wrong.peek().url) {
      return;
    }
    relay.set(id, address);
    await restartNode();
    announce("Saved");
  });
  return (
    <Form onSubmit={() => void task.run()}>
      <Field label="Project ID" hint="From the operator of the relay: cloud.reown.com for the one that is set" value={project.value} onText={(text) => (project.value = text)} error={wrong.value.project} />
      <details>
        <summary>Another relay</summary>
        <Field label="Address of the relay" placeholder="wss://relay.walletconnect.org" value={url.value} onText={(text) => (url.value = text)} error={wrong.value.url} />
      </details>
      <Fault error={task.error.value} />
      <Button busy={task.busy.value}>Save</Button>
    </Form>
  );
}

/** The wallets that are paired, looked up when somebody wants to see them: a node without a project ID has none to tell. */
function Paired() {
  const open = useSignal(false);
  return (
    <details onToggle={({ currentTarget }) => (open.value = currentTarget.open)}>
      <summary>Paired wallets</summary>
      {open.value && <Sessions />}
    </details>
  );
}

function Sessions() {
  const again = useSignal(0);
  const loaded = useLoad(() => rpc("wc_get_sessions"), [connection.value, again.value]);
  const task = useTask(async (topic: string) => {
    await rpc("wc_delete_session", { topic });
    again.value++;
    announce("The wallet is disconnected");
  });
  const sessions = loaded.value.value?.sessions ?? [];
  return (
    <>
      <Fault error={relayFault(loaded.error.value) ?? task.error.value} />
      {loaded.value.value && sessions.length === 0 && <p>No wallet is paired. Pair one when you activate a coin.</p>}
      <ul class="active">
        {sessions.map(({ topic, metadata: { name, url }, expiry }) => (
          <li key={topic}>
            <span>
              {name || "A wallet without a name"} <small>{url} · until {when(new Date(expiry * 1000))}</small>
            </span>
            <button type="button" class="quiet" aria-label={`Disconnect ${name}`} onClick={() => void task.run(topic)}>
              Disconnect
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}
