import { useSignal } from "@preact/signals";
import { Button } from "../ui/button.tsx";
import { Fault } from "../ui/fault.tsx";
import { Field } from "../ui/field.tsx";
import { useTask } from "../ui/task.ts";
import type { Family } from "./catalog.ts";
import { appOf } from "./keyplace.ts";
import { step, type Step } from "./nodetask.ts";

/** What a hardware wallet waits for, in words. */
export function DeviceStep({ family }: { family: Family }) {
  const now = step.value;
  switch (now?.name) {
    case "WaitingForTrezorToConnect":
      return (
        <p class="note" role="status">
          Connect your device, unlock it and open its {appOf(family)} app.
        </p>
      );
    case "FollowHwDeviceInstructions":
      return (
        <p class="note" role="status">
          Compare what your device shows with this page, and confirm it there.
        </p>
      );
    case "EnterTrezorPin":
      return <Asked step={now} label="PIN" hint="The places of its digits in the matrix on the device, as on a number pad" action={(pin) => ({ action_type: "TrezorPin", pin })} />;
    case "EnterTrezorPassphrase":
      return <Asked step={now} label="Passphrase of the device" hint="Leave it empty if you have set none" action={(passphrase) => ({ action_type: "TrezorPassphrase", passphrase })} />;
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
      <Field label={label} hint={hint} type="password" autoComplete="off" value={text.value} onText={(typed) => (text.value = typed)} />
      <Fault error={task.error.value} />
      <Button type="button" busy={task.busy.value} onClick={() => void task.run()}>
        Continue
      </Button>
    </div>
  );
}
