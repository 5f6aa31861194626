import { t } from "../../language.ts";
import { useExternal } from "../../session/wallets.ts";
import { Button } from "../../ui/button.tsx";
import { Fault } from "../../ui/fault.tsx";
import { Form } from "../../ui/form.tsx";
import { useTask } from "../../ui/task.ts";
import { Title } from "../../ui/title.tsx";

/** Creates a wallet without keys in the node of this page: a browser wallet has them. */
export default function External({ back }: { back: () => void }) {
  const task = useTask(() => useExternal(t("wallets.external")));
  return (
    <Form onSubmit={() => void task.run()}>
      <Title text={t("first.external")} />
      <p>{t("external.about")}</p>
      <p>{t("external.when")}</p>
      <Fault error={task.error.value} />
      <div class="actions">
        <Button busy={task.busy.value}>{t("coins.continue")}</Button>
        <button type="button" class="secondary" onClick={back}>
          {t("back")}
        </button>
      </div>
    </Form>
  );
}
