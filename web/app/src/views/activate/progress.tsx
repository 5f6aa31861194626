import { activateEach, activation, cancel, type FailedToken, type Wanted } from "../../coins/activation.ts";
import { DeviceStep } from "../../coins/devicestep.tsx";
import { find } from "../../coins/holdings.ts";
import { t } from "../../language.ts";
import { href } from "../../route.ts";
import { Address } from "../../ui/address.tsx";
import { Button } from "../../ui/button.tsx";
import { Fault } from "../../ui/fault.tsx";
import { Progress } from "../../ui/progress.tsx";
import { useTask } from "../../ui/task.ts";
import { LeftOut } from "./serverlist.tsx";

/** Returns what is activated with the coin, in words. */
const company = ({ tokens, nfts }: Wanted): string => [...tokens, ...(nfts ? [t("activate.itsnfts")] : [])].join(", ");

/** An activation in progress. */
export function Running({ wanted }: { wanted: Wanted }) {
  const { nodes, key, nfts } = wanted;
  return (
    <section class="narrowform">
      <Progress label={company(wanted) ? t("activate.with", { coins: company(wanted) }) : t("activate.working")}>
        <p>
          {t("activate.asks", { count: nodes.length })}
          {nfts && ` ${t("activate.asksindexer")}`}
          {key === "browser" && ` ${t(wanted.family === "evm" ? "activate.asksevm" : "activate.askskeplr")}`}
        </p>
        {key === "device" && <DeviceStep family={wanted.family ?? "cosmos"} />}
        <p>{t("activate.leave")}</p>
      </Progress>
      <div class="actions">
        <button type="button" class="secondary" onClick={cancel}>
          {t("cancel")}
        </button>
      </div>
    </section>
  );
}

/** The tokens that failed to activate, with the reasons and a button to try again. */
function NotActive({ platform, failed }: { platform: string; failed: readonly FailedToken[] }) {
  const task = useTask(async () => {
    const [error, left] = await activateEach(platform, failed.map(({ ticker }) => ticker));
    const now = activation.peek();
    if (now?.is === "done") {
      activation.value = { ...now, failed: failed.filter(({ ticker }) => left.includes(ticker)) };
    }
    if (error !== null) {
      throw error;
    }
  });
  return (
    <div class="fault" role="alert">
      <p>
        <strong>{t("coins.tokensnotactive", { tokens: failed.map(({ ticker }) => ticker).join(", ") })}</strong>
      </p>
      <ul>
        {failed.map(({ ticker, error }) => (
          <li key={ticker}>
            {ticker}: <bdi>{error}</bdi>
          </li>
        ))}
      </ul>
      <Fault error={task.error.value} />
      <Button type="button" class="secondary" busy={task.busy.value} onClick={() => void task.run()}>
        {t("again")}
      </Button>
    </div>
  );
}

/** A coin that was activated. */
export function Done({ wanted, address, already, failed }: { wanted: Wanted; address: string; already: boolean; failed: readonly FailedToken[] }) {
  const { ticker } = wanted;
  const others = company({ ...wanted, tokens: wanted.tokens.filter((token) => !failed.some(({ ticker }) => ticker === token)) });
  const own = address || find(ticker)?.address;
  return (
    <section class="narrowform">
      <div class="note" role="status">
        <p>{already ? t("activate.already") : others ? t("activate.withaddress", { coins: others }) : t("activate.address")}</p>
        {own && (
          <p>
            <Address value={own} what={t("coin.youraddress", { coin: ticker })} />
          </p>
        )}
      </div>
      {find(ticker) && <LeftOut ticker={ticker} />}
      {failed.length > 0 && <NotActive platform={ticker} failed={failed} />}
      <div class="actions">
        <a class="go" href={href("")} onClick={() => (activation.value = null)}>
          {t("home.go")}
        </a>
        <button type="button" class="secondary" onClick={() => (activation.value = null)}>
          {t("activate.activateanother")}
        </button>
      </div>
    </section>
  );
}
