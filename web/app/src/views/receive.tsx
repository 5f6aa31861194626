import { useLoad } from "../ui/task.ts";
import { chainOf, networkOf, platformOf } from "../coins/catalog.ts";
import { CoinChoice, Network } from "../coins/coinchoice.tsx";
import { Gate } from "../coins/gate.tsx";
import { refresh, type Holding } from "../coins/holdings.ts";
import { Address } from "../ui/address.tsx";
import { Fault } from "../ui/fault.tsx";
import { Title } from "../ui/title.tsx";
import "./receive.css";

/** Where somebody can send coins to. */
export default function Receive() {
  return (
    <>
      <Title text="Receive" />
      <Gate todo="and its address is here.">{(holding) => <Shown holding={holding} />}</Gate>
    </>
  );
}

function Shown({ holding: { ticker, address, error } }: { holding: Holding }) {
  const token = platformOf(ticker) !== null;
  return (
    <div class="narrowform">
      <CoinChoice view="receive" ticker={ticker} />
      <div class="receive">
        <Code address={address} ticker={ticker} />
        <div>
          <p>
            <Network ticker={ticker} />
          </p>
          <h2>Your {ticker} address</h2>
          {address ? <Address value={address} what={`your ${ticker} address`} /> : error ? <Fault error={error} retry={() => void refresh()} /> : <p>…</p>}
        </div>
      </div>
      <p class="note">
        {token ? `Only ${ticker}, and other coins of this chain (${networkOf(ticker)}), arrive at this address.` : `Only coins of this chain (${networkOf(ticker)}) arrive at this address.`} What comes from another chain has to be sent over IBC
        {chainOf(ticker) ? `, which wallets do when they know addresses that begin with ${chainOf(ticker)?.prefix}1` : ""}.
      </p>
    </div>
  );
}

function Code({ address, ticker }: { address: string; ticker: string }) {
  const qr = useLoad(() => import("../coins/qr.tsx"));
  const QR = qr.value.value?.default;
  return <div class="code">{QR && address && <QR text={address} label={`QR code of your ${ticker} address`} />}</div>;
}
