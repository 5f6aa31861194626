import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { t } from "../language.ts";
import { servedBy } from "../node.ts";
import type { NativeNode } from "../session/profile.ts";
import { canEncrypt } from "../session/crypto.ts";
import { profile, useNative } from "../session/session.ts";
import { Button } from "./button.tsx";
import { Fault } from "./fault.tsx";
import { Field } from "./field.tsx";
import { focusWrong } from "./focus.ts";
import { Form } from "./form.tsx";
import { nativeFault } from "./nativefault.ts";
import { Password } from "./password.tsx";
import { useTask } from "./task.ts";

/** Default addresses of a native node, and the default user of its daemon API. */
const USUAL = "http://127.0.0.1:7783";
const DAEMON_PORT = "7771";
const DAEMON_USER = "obverse";

/** Returns the default address of a node's daemon API: another port, or a path for a node at the edge. */
function daemonOf(node: string): string {
  const url = new URL(address(node) ?? USUAL);
  if (url.protocol === "https:" && url.port === "") {
    return new URL("daemon", url.href.endsWith("/") ? url : `${url.href}/`).href;
  }
  url.port = DAEMON_PORT;
  return url.origin;
}

/** Returns the URL that the user entered; null if it is invalid. */
function address(text: string): string | null {
  try {
    const url = new URL(text.includes("://") ? text : `http://${text}`);
    return /^https?:$/.test(url.protocol) && url.username === "" && url.password === "" ? url.href : null;
  } catch {
    return null;
  }
}

/** Returns why the page cannot connect to an address; "" if it can. The content security policy has the same rules. */
function obstacle(text: string): string {
  const given = address(text);
  if (given === null) {
    return t("native.form");
  }
  const { protocol, hostname, origin } = new URL(given);
  const near = hostname === "127.0.0.1" || hostname === "localhost" || origin === location.origin;
  return protocol === "https:" || near ? "" : t("native.unencrypted");
}

/** A form that connects to a native node. */
export function ConnectForm({ back }: { back?: () => void }) {
  const known = profile.peek()?.native;
  const url = useSignal(known?.url ?? USUAL);
  const password = useSignal("");
  const daemonUrl = useSignal(known?.daemon?.url ?? ""); // empty: derived from the node's address
  const daemonUser = useSignal(known?.daemon?.user ?? DAEMON_USER);
  const daemonPassword = useSignal("");
  const wrong = useSignal("");
  const daemonWrong = useSignal("");
  const passwordWrong = useSignal("");
  const daemonPasswordWrong = useSignal("");
  useEffect(() => {
    if (!known) {
      void servedBy().then((serving) => {
        if (serving && url.peek() === USUAL) {
          url.value = serving;
        }
      });
    }
  }, []);
  const open = useSignal(known?.daemon !== undefined);
  const task = useTask(async () => {
    const daemonAt = daemonUrl.peek() || daemonOf(url.peek());
    wrong.value = obstacle(url.peek());
    daemonWrong.value = daemonPassword.peek() && !wrong.peek() ? obstacle(daemonAt) : "";
    passwordWrong.value = password.peek() ? "" : t("native.required");
    daemonPasswordWrong.value = "";
    const [node, a] = [address(url.peek()), address(daemonAt)];
    if (wrong.peek() || daemonWrong.peek() || passwordWrong.peek() || node === null || a === null) {
      open.value ||= daemonWrong.peek() !== "";
      focusWrong();
      return;
    }
    const daemonSecret = daemonPassword.peek();
    const native: NativeNode = { url: node, ...(daemonSecret && { daemon: { url: a, user: daemonUser.peek() } }) };
    try {
      await useNative(native, { password: password.peek(), ...(daemonSecret && { daemonPassword: daemonSecret }) });
    } catch (error) {
      const fault = nativeFault(error);
      if (!fault) {
        throw error;
      }
      open.value ||= fault.at !== "password";
      ({ password: passwordWrong, daemon: daemonWrong, daemonPassword: daemonPasswordWrong })[fault.at].value = fault.says;
      focusWrong();
    }
  });
  return (
    <Form onSubmit={() => void task.run()}>
      <p>
        {t("native.about")} {t(canEncrypt() ? "native.encrypted" : "native.memory")}
      </p>
      <Field label={t("native.address")} value={url.value} onText={(text) => (url.value = text)} error={wrong.value} inputMode="url" />
      <Password label="rpc_password" hint={t("native.config")} text={password} error={passwordWrong.value} user={url.value} />
      <details open={open.value} onToggle={(event) => (open.value = event.currentTarget.open)}>
        <summary>{t("native.tokens")}</summary>
        <p>{t("native.tokensabout")}</p>
        <Field label={t("native.addressa")} hint={t("native.port", { port: DAEMON_PORT })} value={daemonUrl.value || daemonOf(url.value)} onText={(text) => (daemonUrl.value = text)} error={daemonWrong.value} inputMode="url" />
        <Field label="rpcuser" value={daemonUser.value} onText={(text) => (daemonUser.value = text)} />
        <Password label="rpcpassword" hint={t("native.daemon")} text={daemonPassword} error={daemonPasswordWrong.value} user={null} />
      </details>
      <Fault error={task.error.value} />
      <div class="actions">
        <Button busy={task.busy.value}>{t("native.connect")}</Button>
        {back && (
          <button type="button" class="secondary" onClick={back}>
            {t("back")}
          </button>
        )}
      </div>
    </Form>
  );
}
