import { effect, signal } from "@preact/signals";
import { t } from "../language.ts";
import { online } from "../node.ts";
import { href } from "../route.ts";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { useTask } from "../ui/task.ts";
import { describe } from "../words.ts";
import { isLightning, isNftNetwork, platformOf } from "./catalog.ts";
import { again, find, holdings, refresh, returning } from "./holdings.ts";
import { coinName, networkName } from "./names.ts";
import { remembered, settingsOf } from "./remembered.ts";
import { activateNetwork, begin, giveUp, networkOf, steps, tokenOf } from "./usual.ts";

/** A network or token whose servers do not respond. */
interface Away {
  coin: string;
  /** The error; undefined while the node tries to restore the coin. */
  error?: unknown;
  /** Whether it was never active here and can be left out. */
  optional?: true;
}

const LATE = 2000; // ms; most coins are restored by then

/** Whether coins have been missing for a while. */
const late = signal(false);

effect(() => {
  if (returning.value.length === 0) {
    late.value = false;
    return undefined;
  }
  const timer = setTimeout(() => (late.value = true), late.peek() ? 0 : LATE);
  return () => clearTimeout(timer);
});

function away(): readonly Away[] {
  const all = new Map<string, Away>();
  const put = (one: Away) => all.has(one.coin) || all.set(one.coin, one);
  for (const { coin, is, error } of steps.value) {
    if (is === "failed" && coin !== "") {
      put({ coin, error, optional: true });
    }
  }
  for (const { ticker, platform, error } of holdings.value ?? []) {
    if (error && !isLightning(ticker)) {
      put({ coin: platform !== null && find(platform)?.error ? platform : ticker, error });
    }
  }
  for (const ticker of late.value ? returning.value : []) {
    const of = platformOf(ticker) ?? ticker;
    if (!isLightning(ticker) && !isNftNetwork(ticker) && !find(of)) {
      put({ coin: of });
    }
  }
  return [...all.values()];
}

const nameIn = (coin: string): string => (platformOf(coin) === null ? networkName(coin) : coinName(coin));

/** Retries all of them at once. */
async function retry(all: readonly Away[]): Promise<void> {
  void begin();
  const revive = async (coin: string) => {
    const [network, settings] = [networkOf(coin), settingsOf(coin)];
    if (network && settings?.key === "own") {
      const tokens = remembered().filter(({ platform, active }) => platform === coin && active);
      await activateNetwork(network, tokens.flatMap(({ ticker }) => tokenOf(ticker) ?? []), settings);
    }
  };
  await Promise.allSettled(all.map(async ({ coin, optional }) => (find(coin) ? again(coin) : optional ? undefined : revive(coin))));
  await refresh();
}

/** One line with the unreachable networks. If the device is offline, the page reports that elsewhere. */
export function Unreachable() {
  const all = away();
  const task = useTask(() => retry(all));
  if (all.length === 0 || !online.value) {
    return null;
  }
  return (
    <div class="note warn unreachable">
      <p role="status">
        <strong>{t("reach.none", { count: all.length, networks: all.map(({ coin }) => nameIn(coin)).join(", ") })}</strong>
      </p>
      <Button type="button" class="quiet" busy={task.busy.value} onClick={() => void task.run()}>
        {t("again")}
      </Button>
      <details>
        <summary>{t("error.details")}</summary>
        <ul>
          {all.map(({ coin, error, optional }) => (
            <li key={coin}>
              {nameIn(coin)}: {error ? describe(error).what : t("coin.restoring")}{" "}
              <a href={href("activate", [platformOf(coin) ?? coin])} aria-label={t("coin.otherserversfor", { coin })}>
                {t("coin.otherservers")}
              </a>
              {optional && (
                <button type="button" class="icononly" aria-label={t("setup.without", { coin: coinName(coin) })} onClick={() => giveUp(coin)}>
                  <Icon name="close" />
                </button>
              )}
            </li>
          ))}
        </ul>
      </details>
    </div>
  );
}
