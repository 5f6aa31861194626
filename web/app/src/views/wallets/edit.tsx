import { useSignal } from "@preact/signals";
import { phraseFault } from "../../coins/phrase.ts";
import { t } from "../../language.ts";
import { idOf, type PageWallet } from "../../session/profile.ts";
import { profile } from "../../session/session.ts";
import { changeWallet, COLOURS, LONGEST_NAME, removeWallet, walletsOf } from "../../session/wallets.ts";
import { Button } from "../../ui/button.tsx";
import { Check } from "../../ui/check.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Fault } from "../../ui/fault.tsx";
import { Field } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { useTask } from "../../ui/task.ts";
import { toast } from "../../ui/toast.tsx";
import { nameOf } from "./sign.tsx";

/** Returns what is wrong with a wallet's name; "" if nothing. */
function wrongName(name: string, wallet: PageWallet): string {
  const { length } = [...name];
  if (length === 0) {
    return t("wallets.noname");
  }
  if (length > LONGEST_NAME) {
    return t("wallets.longname", { count: LONGEST_NAME, is: length });
  }
  return walletsOf(profile.peek()).some((other) => idOf(other) !== idOf(wallet) && nameOf(other) === name) ? t("wallets.samename", { name }) : "";
}

/** Changes a wallet's name and colour, or removes it. */
export function Edit({ wallet, back, onClose }: { wallet: PageWallet; back: () => void; onClose: () => void }) {
  const [name, wrong, colour] = [useSignal(nameOf(wallet)), useSignal(""), useSignal(wallet.colour ?? 0)];
  const task = useTask(async () => {
    const given = name.peek().trim();
    wrong.value = (await phraseFault(given)) || wrongName(given, wallet);
    if (wrong.peek() === "") {
      await changeWallet(idOf(wallet), { name: given, colour: colour.peek() });
      back();
    }
  });
  return (
    <Dialog title={t("wallets.edit", { name: nameOf(wallet) })} side onClose={onClose}>
      <Form onSubmit={() => void task.run()}>
        <Field label={t("wallets.name")} value={name.value} onText={(text) => ([name.value, wrong.value] = [text, ""])} error={wrong.value} />
        <fieldset class="colours">
          <legend>{t("wallets.colour")}</legend>
          {Array.from({ length: COLOURS }, (_, n) => (
            <label key={n} class={`shade${n}`}>
              <input type="radio" name="colour" aria-label={t("wallets.colournumber", { number: n + 1 })} checked={colour.value === n} onChange={() => (colour.value = n)} />
            </label>
          ))}
        </fieldset>
        <Fault error={task.error.value} />
        <div class="actions">
          <Button busy={task.busy.value}>{t("wallets.save")}</Button>
          <button type="button" class="secondary" onClick={back}>
            {t("back")}
          </button>
        </div>
      </Form>
      <Remove wallet={wallet} onClose={onClose} />
    </Dialog>
  );
}

function Remove({ wallet, onClose }: { wallet: PageWallet; onClose: () => void }) {
  const sure = useSignal(false);
  const hasKeys = wallet.kind === "passphrase";
  const name = nameOf(wallet);
  const task = useTask(async () => {
    await removeWallet(idOf(wallet));
    onClose();
    toast(t("wallets.removed", { name }));
  });
  return (
    <details class="removal">
      <summary>{t("wallets.remove")}</summary>
      <p>{t(hasKeys ? "wallets.removeabout" : "wallets.removewatch")}</p>
      {hasKeys && (
        <Check checked={sure.value} onCheck={(checked) => (sure.value = checked)}>
          {t("wallets.haswords")}
        </Check>
      )}
      <Fault error={task.error.value} />
      <Button type="button" class="danger" busy={task.busy.value} disabled={hasKeys && !sure.value} onClick={() => void task.run()}>
        {t("wallets.surely", { name })}
      </Button>
    </details>
  );
}
