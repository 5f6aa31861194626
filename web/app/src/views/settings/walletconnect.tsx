import { useSignal } from "@preact/signals";
import { t } from "../../language.ts";
import { relayFault } from "../../coins/relayfault.ts";
import { connection, relay, rpc } from "../../node.ts";
import { restartNode } from "../../session/wallets.ts";
import { announce } from "../../ui/announce.tsx";
import { Button } from "../../ui/button.tsx";
import { Fault } from "../../ui/fault.tsx";
import { Field } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { useLoad, useTask } from "../../ui/task.ts";
import { when } from "../../ui/when.ts";

/** WalletConnect: the relay and the sessions. */
export function WalletConnect() {
  return (
    <section class="settings">
      <h2>WalletConnect</h2>
      {connection.value?.kind === "page" && <Relay />}
      {connection.value && <Paired />}
    </section>
  );
}

/** The relay of the node in this page is set here; that of a native node in its config. */
function Relay() {
  const start = relay.get();
  const [project, url, wrong] = [useSignal(start.project), useSignal(start.url), useSignal({ project: "", url: "" })];
  const task = useTask(async () => {
    const [id, address] = [project.peek().trim(), url.peek().trim()];
    wrong.value = {
      project: /^[A-Za-z0-9-]{0,64}$/.test(id) ? "" : t("relay.badproject"),
      url: address === "" || /^wss?:\/\/[^?#@]+$/.test(address) ? "" : t("relay.badaddress"),
    };
    if (wrong.peek().project || wrong.peek().url) {
      return;
    }
    relay.set(id, address);
    await restartNode();
    announce(t("relay.saved"));
  });
  return (
    <Form onSubmit={() => void task.run()}>
      <Field label={t("relay.project")} hint={t("relay.projecthint")} value={project.value} onText={(text) => (project.value = text)} error={wrong.value.project} />
      <details>
        <summary>{t("relay.another")}</summary>
        <Field label={t("relay.address")} placeholder="wss://relay.walletconnect.org" value={url.value} onText={(text) => (url.value = text)} error={wrong.value.url} />
      </details>
      <Fault error={task.error.value} />
      <Button busy={task.busy.value}>{t("save")}</Button>
    </Form>
  );
}

/** The paired wallets, loaded when the section is opened: a node without a project ID has no list. */
function Paired() {
  const open = useSignal(false);
  return (
    <details onToggle={({ currentTarget }) => (open.value = currentTarget.open)}>
      <summary>{t("relay.paired")}</summary>
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
    announce(t("relay.disconnected"));
  });
  const sessions = loaded.value.value?.sessions ?? [];
  return (
    <>
      <Fault error={relayFault(loaded.error.value) ?? task.error.value} />
      {loaded.value.value && sessions.length === 0 && <p>{t("relay.none")}</p>}
      <ul class="active">
        {sessions.map(({ topic, metadata: { name, url }, expiry }) => (
          <li key={topic}>
            <span>
              {name || t("relay.unnamed")} <small>{t("relay.until", { url, time: when(new Date(expiry * 1000)) })}</small>
            </span>
            <button type="button" class="quiet" aria-label={t("sites.disconnectone", { name })} onClick={() => void task.run(topic)}>
              {t("sites.disconnect")}
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}
