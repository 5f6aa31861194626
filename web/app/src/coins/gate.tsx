import type { ComponentChildren } from "preact";
import { href, route } from "../route.ts";
import { Fault } from "../ui/fault.tsx";
import { Progress } from "../ui/progress.tsx";
import { isLightning } from "./catalog.ts";
import { failure, holdings, refresh, returning, type Holding } from "./holdings.ts";
import { Underway } from "./underway.tsx";
import "./coins.css";

/**
 * What a view of one coin shows when there is none: why, and what to do; todo goes on
 * after "Activate it, ". Its child gets
 * the coin that the address names, or the first.
 */
export function Gate({ todo, children }: { todo: string; children: (holding: Holding) => ComponentChildren }) {
  const list = holdings.value;
  const [asked] = route.value.args;
  if (list === null) {
    return failure.value ? <Fault error={failure.value} retry={() => void refresh()} /> : <Progress label="Looking which coins are active" />;
  }
  if (asked !== undefined && isLightning(asked)) {
    return (
      <p>
        {asked} has <a href={href("lightning", [asked])}>peers on the Lightning network</a>. It opens no channels, so that there is nothing to send or to receive.
      </p>
    );
  }
  const holding = list.find(({ ticker }) => (asked === undefined ? !isLightning(ticker) : ticker === asked));
  if (holding) {
    return <>{children(holding)}</>;
  }
  const lightning = asked === undefined ? list.map(({ ticker }) => ticker).filter(isLightning) : [];
  const none = lightning.length > 0 ? `None of your active coins can be sent or received: ${lightning.join(", ")} ${lightning.length > 1 ? "have" : "has"} peers on the Lightning network, and no channels. Activate another coin` : "No coin is active yet. Activate one";
  const coming = asked === undefined ? returning.value.length > 0 : returning.value.includes(asked);
  return (
    <>
      <Underway />
      <p>{coming ? `${asked ?? "Your coins"}: the node is bringing back what was active before. It needs the servers of the coin for it.` : `${asked === undefined ? none : `${asked} is not active yet. Activate it`}, ${todo}`}</p>
      <p>
        <a class="go" href={href("activate", asked === undefined ? [] : [asked])}>
          {coming ? "Use other servers" : "Activate a coin"}
        </a>
      </p>
    </>
  );
}
