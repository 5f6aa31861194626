import { useSignal } from "@preact/signals";
import { wrongToWatch } from "../../coins/watchable.ts";
import { t } from "../../language.ts";
import { publicServers } from "../../privacy.ts";
import { profile } from "../../session/session.ts";
import { walletsOf, watchAddress } from "../../session/wallets.ts";
import { Button } from "../../ui/button.tsx";
import { Check } from "../../ui/check.tsx";
import { Fault } from "../../ui/fault.tsx";
import { Field } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { useTask } from "../../ui/task.ts";
import { Title } from "../../ui/title.tsx";

/** Watches an address without its key. */
export default function Watch({ back }: { back: () => void }) {
  const [address, wrong] = [useSignal(""), useSignal("")];
  const task = useTask(async () => {
    const given = address.peek().trim();
    wrong.value = await wrongToWatch(given);
    if (wrong.peek() === "") {
      await watchAddress(given, t("watch.name", { number: walletsOf(profile.peek()).length + 1 }));
      if (publicServers.peek()) {
        (await import("../../coins/usual.ts")).wantUsual();
      }
    }
  });
  return (
    <Form onSubmit={() => void task.run()}>
      <Title text={t("watch.add")} />
      <p>{t("watch.what")}</p>
      <Field label={t("watch.address")} hint={t("watch.hint")} value={address.value} onText={(text) => ([address.value, wrong.value] = [text, ""])} error={wrong.value} autoFocus />
      <Check checked={publicServers.get()} onCheck={publicServers.set}>
        {t("first.servers")} <small>{t("first.serversabout")}</small>
      </Check>
      <Fault error={task.error.value} />
      <div class="actions">
        <Button busy={task.busy.value}>{t("watch.start")}</Button>
        <button type="button" class="secondary" onClick={back}>
          {t("back")}
        </button>
      </div>
    </Form>
  );
}
