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
          <h2>Your {symbolOf(ticker)} address</h2>
          {address ? <Address value={address} what={`your ${symbolOf(ticker)} address`} /> : error ? <Fault error={error} retry={() => void refresh()} /> : <p>…</p>}
        </div>
      </div>
      <p class="note">{isEvm(ticker) ? <OnNetwork ticker={ticker} /> : <OnChain ticker={ticker} />}</p>
    </div>
  );
}

/** What arrives at an address of an EVM network. */
function OnNetwork({ ticker }: { ticker: string }) {
  return (
    <>
      {symbolOf(platformOf(ticker) ?? ticker)}, and the tokens and NFTs of this network, arrive at this address. It is the same on all EVM networks: ask the sender to use this one, or add the other network to see what arrives there.
    </>
  );
}

/** What arrives at an address of a Cosmos chain. */
function OnChain({ ticker }: { ticker: string }) {
  return (
    <>
      {platformOf(ticker) === null ? "Only coins of this chain" : `Only ${symbolOf(ticker)}, and other coins of this chain,`} arrive at this address. From another chain, send over IBC.
    </>
  );
}

function Code({ address, ticker }: { address: string; ticker: string }) {
  const qr = useLoad(() => import("../coins/qr.tsx"));
  const QR = qr.value.value?.default;
  return <div class="code">{QR && address && <QR text={address} label={`QR code of your ${symbolOf(ticker)} address`} />}</div>;
}
