import { RpcError } from "obverse";
import { activate, disable } from "../../coins/activation.ts";
import { platformOf } from "../../coins/catalog.ts";
import { holdings } from "../../coins/holdings.ts";
import { settingsOf } from "../../coins/remembered.ts";
import { go, href } from "../../route.ts";
import { Button } from "../../ui/button.tsx";
import { Fault } from "../../ui/fault.tsx";
import { useTask } from "../../ui/task.ts";

/** Why there is no history. */
export function Trouble({ ticker, error, retry }: { ticker: string; error: unknown; retry: () => void }) {
  return error instanceof RpcError && error.kind === "StorageIsNotInitialized" ? <NotKept ticker={ticker} /> : <Fault error={error} retry={retry} />;
}

/** The coin was activated without its history. */
function NotKept({ ticker }: { ticker: string }) {
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
        The history of {ticker} is not kept: {chain} was activated without it.
      </p>
      <Fault error={task.error.value} />
      {settings && settings.nodes.length > 0 ? (
        <>
          <p>The node can load it from the servers of the coin. {chain} is activated again for that, as it was{tokens.length > 0 && `, with ${tokens.join(", ")}`}.</p>
          <Button type="button" busy={task.busy.value} onClick={() => void task.run()}>
            Load the history
          </Button>
        </>
      ) : (
        <p>
          To have it, disable {chain} and <a href={href("activate", [chain])}>activate it again</a> with its history.
        </p>
      )}
    </div>
  );
}
