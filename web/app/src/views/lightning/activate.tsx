import { useSignal } from "@preact/signals";
import { isLightning, lightningCoins } from "../../coins/catalog.ts";
import { phraseFault } from "../../coins/phrase.ts";
import { t } from "../../language.ts";
import { go } from "../../route.ts";
import { Button } from "../../ui/button.tsx";
import { Check } from "../../ui/check.tsx";
import { Fault } from "../../ui/fault.tsx";
import { Field } from "../../ui/field.tsx";
import { focusWrong } from "../../ui/focus.ts";
import { Form } from "../../ui/form.tsx";
import { Progress } from "../../ui/progress.tsx";
import { useTask } from "../../ui/task.ts";
import { activate, cancel, isKind } from "./activation.ts";
import { activationFault, portFault, worded, type Wrong } from "./faults.ts";

const PORT = "9735"; // the usual port of Lightning nodes
const LONGEST = 32; // maximum bytes of a node's name

const none: Wrong = { ticker: "", name: "", port: "" };

function wrongIn(ticker: string, name: string, port: string): Wrong {
  const bytes = new TextEncoder().encode(name).length;
  return {
    ticker: ticker === "" ? t("lightning.notticker") : isLightning(ticker) ? "" : t("lightning.tickers"),
    name: name === "" ? t("lightning.noname") : bytes > LONGEST ? t("lightning.longname", { bytes, max: LONGEST }) : "",
    port: portFault(port),
  };
}

/** A form that activates a Lightning coin. active has the coins that are active already. */
export function Activate({ requested, active }: { requested: string; active: readonly string[] }) {
  const free = lightningCoins.filter(({ ticker }) => !active.includes(ticker));
  const ticker = useSignal(requested !== "" && !active.includes(requested) ? requested : (free[0]?.ticker ?? ""));
  const other = useSignal(!free.some((coin) => coin.ticker === ticker.peek()));
  const name = useSignal("Obverse");
  const port = useSignal(PORT);
  const wrong = useSignal(none);
  const running = useSignal<number | null>(null);
  const cancelled = useSignal(false);
  const task = useTask(async () => {
    const wanted = { ticker: ticker.peek().trim(), name: name.peek().trim(), port: port.peek().trim() };
    const found = wrongIn(wanted.ticker, wanted.name, wanted.port);
    wrong.value = { ...found, name: (await phraseFault(wanted.name)) || found.name };
    cancelled.value = false;
    if (Object.values(wrong.peek()).some(Boolean)) {
      focusWrong();
      return;
    }
    try {
      await activate({ ...wanted, port: Number(wanted.port) }, (id) => (running.value = id));
      document.querySelector<HTMLElement>("main h1")?.focus(); // the focused element was removed
      go("lightning", [wanted.ticker]);
    } catch (error) {
      if (cancelled.peek() && isKind(error, "NoSuchTask")) {
        return;
      }
      const found = activationFault(error);
      if (!found) {
        throw error;
      }
      wrong.value = { ...none, ...found };
      requestAnimationFrame(focusWrong); // once the form is rendered again
    } finally {
      running.value = null;
    }
  });
  const stop = useTask(async () => {
    if (running.peek() !== null) {
      cancelled.value = true;
      await cancel(running.peek() ?? 0);
    }
  });
  if (running.value !== null) {
    return (
      <section class="narrowform">
        <Progress label={t("lightning.activating", { ticker: ticker.value.trim() })} />
        <Fault error={stop.error.value} />
        <div class="actions">
          <Button type="button" class="secondary" busy={stop.busy.value} onClick={() => void stop.run()}>
            {t("cancel")}
          </Button>
        </div>
      </section>
    );
  }
  const choose = (chosen: string, isOther: boolean) => {
    ticker.value = chosen;
    other.value = isOther;
    wrong.value = none;
    task.clear();
  };
  return (
    <div class="narrowform">
      <p>{t("lightning.about")}</p>
      {cancelled.value && (
        <div class="note" role="status">
          <p>{t("lightning.cancelled")}</p>
        </div>
      )}
      <Fault error={worded(task.error.value)} />
      <Form onSubmit={() => void task.run()}>
        {free.length > 0 && (
          <fieldset>
            <legend>{t("lightning.coin")}</legend>
            {free.map((coin) => (
              <Check key={coin.ticker} name="coin" checked={!other.value && ticker.value === coin.ticker} onCheck={() => choose(coin.ticker, false)}>
                {coin.ticker} <small>{coin.name}</small>
              </Check>
            ))}
            <Check name="coin" checked={other.value} onCheck={() => choose("", true)}>
              {t("lightning.another")}
            </Check>
          </fieldset>
        )}
        {other.value && <Field label={t("lightning.ticker")} hint={t("lightning.tickerhint")} value={ticker.value} onText={(text) => (ticker.value = text)} error={wrong.value.ticker} required />}
        {!other.value && wrong.value.ticker && (
          <p class="wrong" role="alert">
            {wrong.value.ticker}
          </p>
        )}
        <Field label={t("lightning.nodename")} hint={t("lightning.nodenamehint")} value={name.value} onText={(text) => (name.value = text)} error={wrong.value.name} required />
        <details open={wrong.value.port !== ""}>
          <summary>{t("lightning.accept")}</summary>
          <p>{t("lightning.acceptabout")}</p>
          <Field label={t("lightning.port")} inputMode="numeric" value={port.value} onText={(text) => (port.value = text)} error={wrong.value.port} />
        </details>
        <div class="actions">
          <Button busy={task.busy.value}>{t("lightning.activate", { ticker: ticker.value.trim() })}</Button>
        </div>
      </Form>
    </div>
  );
}
