import { activation, forgetInterrupted, interrupted } from "../../coins/activation.ts";
import { creationFault, serverFaults, serviceFault } from "../../coins/reasons.ts";
import { Fault } from "../../ui/fault.tsx";
import { ServiceFault } from "../nfts/fault.tsx";
import { ServerList } from "./serverlist.tsx";

/** What came of the last try. */
export function Outcome({ ticker }: { ticker: string }) {
  const last = activation.value;
  if (interrupted.value?.ticker === ticker) {
    return (
      <div class="note">
        <p>
          The page was reloaded while {ticker} was being activated. If the node finishes it all the same, it appears below by itself; otherwise activate it again.
        </p>
        <button type="button" class="quiet" onClick={forgetInterrupted}>
          Do not wait for it
        </button>
      </div>
    );
  }
  if (last?.wanted.ticker !== ticker) {
    return null;
  }
  if (last.is === "cancelled") {
    return (
      <div class="note" role="status">
        <p>Cancelled. {ticker} does not become active.</p>
      </div>
    );
  }
  return last.is === "failed" ? <Failed error={last.error} /> : null;
}

function Failed({ error }: { error: unknown }) {
  const servers = serverFaults(error);
  const wrong = creationFault(error);
  if (!servers && wrong === null) {
    return serviceFault(error) ? <ServiceFault error={error} then="Nothing was activated. Activate the coin without its NFTs, or use another indexer." /> : <Fault error={error} />;
  }
  return (
    <div class="fault" role="alert">
      <p>
        <strong>{servers ? "No server of the coin can be used, so nothing was activated." : "The coin cannot be activated with these settings."}</strong>
      </p>
      {servers ? (
        <ServerList servers={servers} />
      ) : (
        <p>{wrong}</p>
      )}
    </div>
  );
}
