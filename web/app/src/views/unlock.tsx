import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { t } from "../language.ts";
import { unlockPage, WrongPassword } from "../session/reveal.ts";
import { lockedBy, profile, setUp, useNative } from "../session/session.ts";
import { use } from "../session/wallets.ts";
import { waitUntil } from "../session/attempts.ts";
import { idOf, rootOf } from "../session/profile.ts";
import { Button } from "../ui/button.tsx";
import { Fault } from "../ui/fault.tsx";
import { focusWrong } from "../ui/focus.ts";
import { Form } from "../ui/form.tsx";
import { nativeFault } from "../ui/nativefault.ts";
import { Password } from "../ui/password.tsx";
import { useTask } from "../ui/task.ts";
import { Title } from "../ui/title.tsx";
import Switcher from "./switcher.tsx";

const why = { you: null, idle: "unlock.idle", tab: "unlock.tab", reload: "unlock.reload" } as const;

/** Returns the seconds until a time, counting down; 0 when it has come. */
function useCountdown() {
  const until = useSignal(0);
  const left = useSignal(0);
  const count = () => (left.value = Math.max(0, Math.ceil((until.peek() - Date.now()) / 1000)));
  useEffect(() => {
    void waitUntil(rootOf(profile.peek()?.page)).then((end) => {
      until.value = end;
      count();
    });
    const timer = setInterval(count, 500);
    return () => clearInterval(timer);
  }, []);
  const wait = (end: number) => {
    until.value = end;
    count();
  };
  return { left, wait };
}

const hasOthers = () => (profile.value?.others?.length ?? 0) > 0 || Boolean(profile.value?.page && profile.value.native);

/** Unlocks the wallet, by the method of its kind. */
export default function Unlock() {
  const { use: used, page } = profile.value ?? {};
  return <Ask key={`${used} ${idOf(page)}`} />;
}

function Ask() {
  const native = profile.value?.use === "native" ? profile.value.native : undefined;
  const password = useSignal("");
  const daemonPassword = useSignal("");
  const wrong = useSignal("");
  const daemonWrong = useSignal("");
  const { left, wait } = useCountdown();
  const reason = lockedBy.value && why[lockedBy.value];
  const task = useTask(async () => {
    const given = password.peek();
    wrong.value = given === "" ? t("unlock.nopassword") : "";
    daemonWrong.value = "";
    if (given === "") {
      return;
    }
    try {
      await (native ? useNative(native, { password: given, ...(daemonPassword.peek() && { daemonPassword: daemonPassword.peek() }) }) : unlockPage(given));
      if (!native && profile.peek()?.page?.passkeys) {
        void import("../session/passkey.ts").then(({ removeOpen }) => removeOpen()).catch(() => {}); // it is tried again the next time
      }
    } catch (error) {
      const fault = nativeFault(error);
      if (fault && fault.at !== "daemon") {
        if (fault.at === "password") {
          password.value = "";
        }
        (fault.at === "password" ? wrong : daemonWrong).value = fault.says;
        focusWrong();
        return;
      }
      password.value = "";
      if (!(error instanceof WrongPassword)) {
        throw error;
      }
      wrong.value = error.tried ? t("unlock.wrong") : "";
      wait(error.until);
    }
  });
  return (
    <>
      {hasOthers() && <Switcher />}
      <Form onSubmit={() => void task.run()}>
        <Title text={t("unlock.unlock")} />
        {reason && <p>{t(reason)}</p>}
        {native && <p>{t("unlock.node", { url: native.url })}</p>}
        <Password key={native?.url} label={native ? "rpc_password" : t("unlock.password")} text={password} error={wrong.value} user={native?.url} autoFocus />
        {native?.daemon && <Password label={t("unlock.daemon")} hint={t("unlock.daemonhint")} text={daemonPassword} error={daemonWrong.value} user={null} />}
        <p class="muted" hidden={left.value === 0}>
          {t("unlock.pause", { left: left.value })}
        </p>
        <Fault error={task.error.value} />
        <div class="actions">
          <Button busy={task.busy.value} disabled={left.value > 0}>
            {t("unlock.unlock")}
          </Button>
          {!native && (profile.value?.page?.passkeys?.length ?? 0) > 0 && <ByPasskey />}
        </div>
        <Otherwise />
      </Form>
    </>
  );
}

/** Opens the wallet with a passkey. The code is loaded on use. */
function ByPasskey() {
  const failed = useSignal("");
  const task = useTask(async () => {
    failed.value = "";
    const { isRefusal, NoSecret, OtherSecret, unlockByPasskey } = await import("../session/passkey.ts");
    try {
      await unlockByPasskey();
    } catch (error) {
      const fails = error instanceof NoSecret || error instanceof OtherSecret;
      if (!fails && !isRefusal(error)) {
        throw error;
      }
      failed.value = t(fails ? "passkey.fails" : "passkey.notused");
    }
  });
  return (
    <>
      <Button type="button" class="secondary" busy={task.busy.value} onClick={() => void task.run()}>
        {t("passkey.unlock")}
      </Button>
      {failed.value && <p role="alert">{failed.value}</p>}
      <Fault error={task.error.value} />
    </>
  );
}

/** Alternatives to the password. */
function Otherwise() {
  const { use: used, page, native } = profile.value ?? {};
  return (
    <div class="otherwise">
      {used === "page" && (
        <details>
          <summary>{t("unlock.forgot")}</summary>
          <p>{t("unlock.forgotabout")}</p>
          <button type="button" class="secondary" onClick={setUp}>
            {t("unlock.restore")}
          </button>
        </details>
      )}
      {used === "page" && native && (
        <button type="button" class="secondary" onClick={() => void use("native")}>
          {t("unlock.usenode", { url: native.url })}
        </button>
      )}
      {used === "native" && (
        <button type="button" class="secondary" onClick={() => (page ? void use("page") : setUp())}>
          {t("unlock.usepage")}
        </button>
      )}
    </div>
  );
}
