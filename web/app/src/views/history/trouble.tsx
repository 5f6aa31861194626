import { RpcError } from "obverse";
import { t } from "../../language.ts";
import { activate, disable } from "../../coins/activation.ts";
import { platformOf } from "../../coins/catalog.ts";
import { holdings } from "../../coins/holdings.ts";
import { settingsOf } from "../../coins/remembered.ts";
import { go, href } from "../../route.ts";
import { Button } from "../../ui/button.tsx";
import { Fault } from "../../ui/fault.tsx";
import { useTask } from "../../ui/task.ts";
import { rich } from "../../ui/rich.tsx";

/** Why there is no history. */
export function Trouble({ ticker, error, retry }: { ticker: string; error: unknown; retry: () => void }) {
  return error instanceof RpcError && error.kind === "StorageIsNotInitialized" ? <NotStored ticker={ticker} /> : <Fault error={error} retry={retry} />;
}

/** A notice that the coin was activated without its history. */
function NotStored({ ticker }: { ticker: string }) {
  const chain = platformOf(ticker) ?? ticker;
  const settings = settingsOf(chain);
  const tokens = (holdings.value ?? []).filter(({ platform }) => platform === chain).map((token) => token.ticker);
  const task = useTask(async () => {
    if (settings) {
      await disable(chain, true);
      void activate({ ...settings, ticker: chain, tokens, history: true });
      go("activate", [chain]);
    }
  });
  return (
    <div class="narrowform">
      <p>
        {t("history.notkept", { ticker, chain })}
      </p>
      <Fault error={task.error.value} />
      {settings && settings.nodes.length > 0 ? (
        <>
          <p>{tokens.length > 0 ? t("history.againwith", { chain, tokens: tokens.join(", ") }) : t("history.again", { chain })}</p>
          <Button type="button" busy={task.busy.value} onClick={() => void task.run()}>
            {t("history.load")}
          </Button>
        </>
      ) : (
        <p>
          {rich("history.disable", { chain, link: <a href={href("activate", [chain])}>{t("history.activate")}</a> })}
        </p>
      )}
    </div>
  );
}
