import { badAnswer } from "../../bounded.ts";
import { t } from "../../language.ts";
import { connection, replaced, rpc } from "../../node.ts";
import { profile } from "../../session/session.ts";
import { Address } from "../../ui/address.tsx";
import { Fault } from "../../ui/fault.tsx";
import { useLoad } from "../../ui/task.ts";
import { when } from "../../ui/when.ts";

/** Throws an error unless a value in a node's answer is a text. */
function text(method: string, value: unknown): string {
  if (typeof value !== "string") {
    throw badAnswer(method);
  }
  return value;
}

/** The version of the node. */
export function About() {
  const version = useLoad(() => rpc("version"), [connection.value]);
  const peer = useLoad(async () => text("get_my_peer_id", await rpc("get_my_peer_id")), [connection.value, replaced.value]);
  const key = useLoad(async () => (profile.peek()?.page?.kind !== "passphrase" && !connection.peek()?.url ? "" : text("get_public_key", (await rpc("get_public_key")).public_key)), [connection.value]);
  const { result, datetime } = version.value.value ?? {};
  return (
    <section class="settings">
      <h2>{t("about.title")}</h2>
      <dl>
        <dt>{t("about.version")}</dt>
        <dd>{typeof result === "string" ? result : "…"}</dd>
        {datetime && (
          <>
            <dt>{t("about.made")}</dt>
            <dd>{when(new Date(datetime))}</dd>
          </>
        )}
        <dt>{t("about.peer")}</dt>
        <dd>{peer.value.value ? <Address value={peer.value.value} what={t("about.thepeer")} /> : "…"}</dd>
        {key.value.value && (
          <>
            <dt>{t("about.key")}</dt>
            <dd>
              <Address value={key.value.value} what={t("about.thekey")} />
            </dd>
          </>
        )}
      </dl>
      <Fault error={version.error.value ?? peer.error.value ?? key.error.value} retry={() => [version, peer, key].forEach((load) => load.reload())} />
    </section>
  );
}
