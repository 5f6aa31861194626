import { useSignal } from "@preact/signals";
import { t } from "../language.ts";
import { Button } from "../ui/button.tsx";
import { Fault } from "../ui/fault.tsx";
import { Field } from "../ui/field.tsx";
import { useTask } from "../ui/task.ts";
import type { Family } from "./catalog.ts";
import { appOf } from "./keyplace.ts";
import { step, type Step } from "./nodetask.ts";

/** The step that a hardware wallet waits for, in words. */
export function DeviceStep({ family }: { family: Family }) {
  const now = step.value;
  switch (now?.name) {
    case "WaitingForTrezorToConnect":
      return (
        <p class="note" role="status">
          {t("coins.deviceopen", { family: appOf(family) })}
        </p>
      );
    case "FollowHwDeviceInstructions":
      return (
        <p class="note" role="status">
          {t("coins.devicecompare")}
        </p>
      );
    case "EnterTrezorPin":
      return <Asked step={now} label={t("coins.pin")} hint={t("coins.pinhint")} action={(pin) => ({ action_type: "TrezorPin", pin })} />;
    case "EnterTrezorPassphrase":
      return <Asked step={now} label={t("coins.devicepassphrase")} hint={t("coins.devicepassphrasehint")} action={(passphrase) => ({ action_type: "TrezorPassphrase", passphrase })} />;
    default:
      return null;
  }
}

function Asked({ step, label, hint, action }: { step: Step; label: string; hint: string; action: (text: string) => object }) {
  const text = useSignal("");
  const task = useTask(async () => {
    await step.answer?.(action(text.peek()));
    text.value = "";
  });
  return (
    <div class="note">
      <Field label={label} hint={hint} type="password" verbatim autoComplete="off" value={text.value} onText={(typed) => (text.value = typed)} />
      <Fault error={task.error.value} />
      <Button type="button" busy={task.busy.value} onClick={() => void task.run()}>
        {t("coins.continue")}
      </Button>
    </div>
  );
}
