import { t } from "../../language.ts";
import { rpc } from "../../node.ts";
import { Address } from "../../ui/address.tsx";
import { announce } from "../../ui/announce.tsx";
import { Button } from "../../ui/button.tsx";
import { Fault } from "../../ui/fault.tsx";
import { Field } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { useTask } from "../../ui/task.ts";
import { keyFault } from "./faults.ts";
import { useField, useRow } from "./field.ts";
import { short } from "./peers.ts";

interface Properties {
  coin: string;
  trusted: readonly string[];
  /** Called after a change. */
  changed: () => void;
}

/** The nodes that the user trusts. */
export function Trusted({ coin, trusted, changed }: Properties) {
  const { text, wrong, form, refuse } = useField();
  const add = useTask(async () => {
    const id = text.peek().trim();
    wrong.value = "";
    if (id === "") {
      refuse(t("lightning.enterkey"));
      return;
    }
    try {
      const { added_node: added } = await rpc("lightning::nodes::add_trusted_node", { coin, node_id: id });
      announce(t("lightning.trustednow", { id: short(added) }));
      text.value = "";
    } catch (error) {
      const fault = keyFault(error);
      if (fault === null) {
        throw error;
      }
      refuse(fault);
    }
    changed();
  });
  return (
    <section ref={form} aria-labelledby="lightning-trusted">
      <h2 id="lightning-trusted" tabIndex={-1}>{t("lightning.trustednodes")}</h2>
      <p>{t("lightning.trustedabout")}</p>
      {trusted.length > 0 && (
        <ul>
          {trusted.map((id) => (
            <Row key={id} id={id} coin={coin} changed={changed} />
          ))}
        </ul>
      )}
      <Form onSubmit={() => void add.run()}>
        <Field label={t("lightning.trustkey")} value={text.value} onText={(now) => (text.value = now)} error={wrong.value} required />
        <Fault error={add.error.value} />
        <div class="actions">
          <Button class="secondary" busy={add.busy.value}>
            {t("lightning.trust")}
          </Button>
        </div>
      </Form>
    </section>
  );
}

function Row({ id, coin, changed }: { id: string } & Omit<Properties, "trusted">) {
  const row = useRow();
  const remove = useTask(async () => {
    await rpc("lightning::nodes::remove_trusted_node", { coin, node_id: id });
    announce(t("lightning.untrusted", { id: short(id) }));
    changed();
  });
  return (
    <li ref={row}>
      <p class="who">
        <Address value={id} what={t("lightning.trustedid", { id: short(id) })} />
      </p>
      <Fault error={remove.error.value} />
      <div class="does">
        <Button type="button" class="quiet" busy={remove.busy.value} onClick={() => void remove.run()} aria-label={t("lightning.removeone", { id: short(id) })}>
          {t("remove")}
        </Button>
      </div>
    </li>
  );
}
