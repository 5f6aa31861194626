import { useSignal } from "@preact/signals";
import { disable } from "../../coins/activation.ts";
import { isLightning, isNftNetwork, nameOf, platformOf } from "../../coins/catalog.ts";
import { find, holdings, nftNetworks, returning } from "../../coins/holdings.ts";
import { Button } from "../../ui/button.tsx";
import { Check } from "../../ui/check.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Fault } from "../../ui/fault.tsx";
import { useTask } from "../../ui/task.ts";
import { ServerNames } from "./serverlist.tsx";

/** What is active, or is to be again, to be disabled. */
export function Active() {
  const asked = useSignal<string | null>(null);
  const active = [...(holdings.value ?? []).map(({ ticker }) => ticker), ...nftNetworks.value];
  const all = [...active, ...returning.value];
  if (all.length === 0) {
    return null;
  }
  return (
    <section class="narrowform active">
      <h2>Active</h2>
      <ul>
        {all.map((ticker) => (
          <li key={ticker}>
            <span>
              {ticker} <small>{active.includes(ticker) ? (nameOf(ticker) === ticker ? "" : nameOf(ticker)) : "the node is bringing it back"}</small>
            </span>
            <button type="button" class="quiet" onClick={() => (asked.value = ticker)} aria-label={`Disable ${ticker}`}>
              Disable
            </button>
          </li>
        ))}
      </ul>
      {asked.value !== null && <Disable ticker={asked.value} tokens={all.filter((token) => platformOf(token) === asked.value)} onClose={() => (asked.value = null)} />}
    </section>
  );
}

function Disable({ ticker, tokens, onClose }: { ticker: string; tokens: string[]; onClose: () => void }) {
  const withTokens = useSignal(true);
  const task = useTask(async () => {
    await disable(ticker, withTokens.peek());
    onClose();
  });
  return (
    <Dialog title={`Disable ${ticker}?`} onClose={onClose}>
      <p>Nothing is lost: what {isNftNetwork(ticker) ? "you hold" : "it holds"} stays on its chain, and it can be activated again at any time. {isNftNetwork(ticker) ? "Its indexer is no longer used." : "It is removed from Home, and the node stops using its servers."}</p>
      {find(ticker)?.platform === null && !isLightning(ticker) && <ServerNames ticker={ticker} />}
      {tokens.length > 0 && (
        <Check checked={withTokens.value} onCheck={(on) => (withTokens.value = on)}>
          {tokens.every(isNftNetwork) ? "Its NFTs too" : `Its tokens too: ${tokens.join(", ")}`}
        </Check>
      )}
      {tokens.length > 0 && !withTokens.value && <p>The node keeps using its servers for the tokens.</p>}
      <Fault error={task.error.value} />
      <div class="actions">
        <Button type="button" busy={task.busy.value} onClick={() => void task.run()}>
          Disable
        </Button>
        <button type="button" class="secondary" onClick={onClose}>
          Cancel
        </button>
      </div>
    </Dialog>
  );
}
