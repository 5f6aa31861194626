import { cancel, activation, type Wanted } from "../../coins/activation.ts";
import { DeviceStep } from "../../coins/devicestep.tsx";
import { find } from "../../coins/holdings.ts";
import { t } from "../../language.ts";
import { href } from "../../route.ts";
import { Address } from "../../ui/address.tsx";
import { Progress } from "../../ui/progress.tsx";
import { LeftOut } from "./serverlist.tsx";

/** What is activated with the coin, in words. */
const company = ({ tokens, nfts }: Wanted): string => [...tokens, ...(nfts ? [t("activate.itsnfts")] : [])].join(", ");

/** An activation at work. */
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

/** A coin that has become active. */
export function Done({ wanted, address, already }: { wanted: Wanted; address: string; already: boolean }) {
  const { ticker } = wanted;
  const own = address || find(ticker)?.address;
  return (
    <section class="narrowform">
      <div class="note" role="status">
        <p>{already ? t("activate.already") : company(wanted) ? t("activate.withaddress", { coins: company(wanted) }) : t("activate.address")}</p>
        {own && (
          <p>
            <Address value={own} what={t("coin.youraddress", { coin: ticker })} />
          </p>
        )}
      </div>
      {find(ticker) && <LeftOut ticker={ticker} />}
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
