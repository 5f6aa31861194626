import { useLoad } from "../ui/task.ts";
import { chainOf, networkOf, platformOf } from "../coins/catalog.ts";
import { CoinChoice, Network } from "../coins/coinchoice.tsx";
import { isEvm } from "../coins/family.ts";
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
      <p class="note">{isEvm(ticker) ? <OnNetwork ticker={ticker} /> : <OnChain ticker={ticker} />}</p>
    </div>
  );
}

/** What arrives at an address of an EVM network. */
function OnNetwork({ ticker }: { ticker: string }) {
  const platform = platformOf(ticker) ?? ticker;
  return (
    <>
      {platform}, and the tokens and NFTs of this network ({networkOf(ticker)}), arrive at this address. All EVM networks have addresses of this kind: have it sent on this one. What is sent to it on another is there, and is not shown here before that network is active.
    </>
  );
}

/** What arrives at an address of a Cosmos chain. */
function OnChain({ ticker }: { ticker: string }) {
  const token = platformOf(ticker) !== null;
  return (
    <>
        {token ? `Only ${ticker}, and other coins of this chain (${networkOf(ticker)}), arrive at this address.` : `Only coins of this chain (${networkOf(ticker)}) arrive at this address.`} What comes from another chain has to be sent over IBC
        {chainOf(ticker) ? `, which wallets do when they know addresses that begin with ${chainOf(ticker)?.prefix}1` : ""}.
    </>
  );
}

function Code({ address, ticker }: { address: string; ticker: string }) {
  const qr = useLoad(() => import("../coins/qr.tsx"));
  const QR = qr.value.value?.default;
  return <div class="code">{QR && address && <QR text={address} label={`QR code of your ${ticker} address`} />}</div>;
}
