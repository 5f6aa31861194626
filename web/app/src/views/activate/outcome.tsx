import { activation, forgetInterrupted, interrupted } from "../../coins/activation.ts";
import { creationFault, serverFaults, serviceFault } from "../../coins/reasons.ts";
import { t } from "../../language.ts";
import { Fault } from "../../ui/fault.tsx";
import { ServiceFault } from "../nfts/fault.tsx";
import { ServerList } from "./serverlist.tsx";

/** The outcome of the last attempt. */
export function Outcome({ ticker }: { ticker: string }) {
  const last = activation.value;
  if (interrupted.value?.ticker === ticker) {
    return (
      <div class="note">
        <p>
          {t("activate.reloaded", { ticker })}
        </p>
        <button type="button" class="quiet" onClick={forgetInterrupted}>
          {t("activate.donotwait")}
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
        <p>{t("activate.cancelled", { ticker })}</p>
      </div>
    );
  }
  return last.is === "failed" ? <Failed error={last.error} /> : null;
}

function Failed({ error }: { error: unknown }) {
  const servers = serverFaults(error);
  const wrong = creationFault(error);
  if (!servers && wrong === null) {
    return serviceFault(error) ? <ServiceFault error={error} then={t("activate.withoutnfts")} /> : <Fault error={error} />;
  }
  return (
    <div class="fault" role="alert">
      <p>
        <strong>{servers ? t("activate.noneusable") : t("activate.badsettings")}</strong>
      </p>
      {servers ? (
        <ServerList servers={servers} />
      ) : (
        <p>{wrong}</p>
      )}
    </div>
  );
}
