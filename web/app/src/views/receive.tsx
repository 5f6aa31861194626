import { t } from "../language.ts";
import { useLoad } from "../ui/task.ts";
import { platformOf } from "../coins/catalog.ts";
import { CoinChoice, Network } from "../coins/coinchoice.tsx";
import { isEvm } from "../coins/family.ts";
import { Gate } from "../coins/gate.tsx";
import { refresh, type Holding } from "../coins/holdings.ts";
import { symbolOf } from "../coins/names.ts";
import { Address } from "../ui/address.tsx";
import { Fault } from "../ui/fault.tsx";
import { Title } from "../ui/title.tsx";
import "./receive.css";

/** The wallet's address for receiving coins. */
export default function Receive() {
  return (
    <>
      <Title text={t("view.receive")} />
      <Gate todo={t("receive.gate")} waiting={(holding) => <Shown holding={holding} />}>
        {(holding) => <Shown holding={holding} />}
      </Gate>
    </>
  );
}

function Shown({ holding: { ticker, address, error } }: { holding: Holding }) {
  return (
    <div class="narrowform">
      <CoinChoice view="receive" ticker={ticker} others />
      <div class="receive">
        <Code address={address} ticker={ticker} />
        <div>
          <p>
            <Network ticker={ticker} />
          </p>
          <h2>{t("receive.your", { coin: symbolOf(ticker) })}</h2>
          {address ? <Address value={address} what={t("coin.youraddress", { coin: symbolOf(ticker) })} /> : error ? <Fault error={error} retry={() => void refresh()} /> : <p>…</p>}
        </div>
      </div>
      <p class="note">{arriving(ticker)}</p>
    </div>
  );
}

/** Returns what can be received at an address of an EVM network or a Cosmos chain. */
function arriving(ticker: string): string {
  const platform = platformOf(ticker);
  if (isEvm(ticker)) {
    return t("receive.network", { coin: symbolOf(platform ?? ticker) });
  }
  return platform === null ? t("receive.chain") : t("receive.token", { coin: symbolOf(ticker) });
}

function Code({ address, ticker }: { address: string; ticker: string }) {
  const qr = useLoad(() => import("../coins/qr.tsx"));
  const QR = qr.value.value?.default;
  return <div class="code">{QR && address && <QR text={address} label={t("receive.qr", { coin: symbolOf(ticker) })} />}</div>;
}
