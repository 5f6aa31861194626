import { chainCoin, lastChainCoin } from "../coins/chaincoin.ts";
import { Network } from "../coins/coinchoice.tsx";
import { isLightning, nameOf, platformOf } from "../coins/catalog.ts";
import { isEvm } from "../coins/family.ts";
import { Switched } from "../coins/external.tsx";
import { failure, holdings, isEmpty, refresh, returning, total, type Holding } from "../coins/holdings.ts";
import { Underway } from "../coins/underway.tsx";
import { hasNfts } from "../nfts/networks.ts";
import { connection } from "../node.ts";
import { href } from "../route.ts";
import { Amount } from "../ui/amount.tsx";
import { Fault } from "../ui/fault.tsx";
import { useLoad } from "../ui/task.ts";
import { Title } from "../ui/title.tsx";
import "../coins/coins.css";
import "./portfolio.css";

/** What the wallet holds. */
export default function Portfolio() {
  return (
    <>
      <Title text="Portfolio" />
      <Fault error={failure.value} retry={() => void refresh()} />
      <Switched />
      <Underway />
      {isEmpty.value ? <Empty /> : <Coins />}
      {connection.value?.hasDaemon && <ChainCoin />}
    </>
  );
}

function Empty() {
  return (
    <div class="empty">
      <p>No coin is active yet. Activate one, and its balance, its address and its history are here.</p>
      <a class="go" href={href("activate")}>
        Activate a coin
      </a>
    </div>
  );
}

function Coins() {
  const list = holdings.value;
  return (
    <>
      <ul class="coins" aria-busy={list === null}>
        {list === null && <li class="coin" aria-label="Looking which coins are active" />}
        {list?.map((holding) => <Coin key={holding.ticker} holding={holding} />)}
        {returning.value.map((ticker) => (
          <Returning key={ticker} ticker={ticker} />
        ))}
      </ul>
      {list !== null && (
        <p>
          <a href={href("activate")}>Activate another coin</a>
        </p>
      )}
    </>
  );
}

function Coin({ holding }: { holding: Holding }) {
  const { ticker, platform, balance, error } = holding;
  return (
    <li class={`coin ${platform === null ? "" : "token"}`}>
      <h2>
        {ticker} <small>{nameOf(ticker) === ticker ? "" : nameOf(ticker)}</small>
      </h2>
      <p class="held">
        {isLightning(ticker) ? <span class="muted">no balance: it opens no channels</span> : balance ? <Amount value={total(balance)} unit={ticker} /> : error ? <Amount value={null} /> : <span class="muted">…</span>}
        {balance && !isLightning(ticker) && balance.unspendable !== "0" && (
          <small>
            <Amount value={balance.spendable} /> can be spent, <Amount value={balance.unspendable} /> cannot yet
          </small>
        )}
      </p>
      <p class="links-of">
        <Network ticker={ticker} />
        {isLightning(ticker) ? (
          <Action view="lightning" ticker={ticker} label="Peers" />
        ) : (
          <>
            <Action view="receive" ticker={ticker} label="Receive" />
            <Action view="send" ticker={ticker} label="Send" />
            <Action view="history" ticker={ticker} label="History" />
            {isEvm(ticker) && platform === null && hasNfts(ticker) && <Action view="nfts" ticker={ticker} label="NFTs" />}
          </>
        )}
      </p>
      {Boolean(error) && <Fault error={error} retry={() => void refresh()} />}
    </li>
  );
}

function Action({ view, ticker, label }: { view: string; ticker: string; label: string }) {
  return (
    <a href={href(view, [ticker])} aria-label={`${label} ${ticker}`}>
      {label}
    </a>
  );
}

/** A coin that was active before the node was started anew. */
function Returning({ ticker }: { ticker: string }) {
  const platform = platformOf(ticker);
  const after = platform !== null && returning.value.includes(platform);
  return (
    <li class={`coin ${after ? "token" : ""}`}>
      <h2>
        {ticker} <small>{nameOf(ticker) === ticker ? "" : nameOf(ticker)}</small>
      </h2>
      <p class="held muted">not active yet</p>
      <p class="links-of">
        <span>{after ? `It comes back with ${platform}.` : "The node is restoring the coin and retries until one of its servers answers."}</span>
        {!after && (
          <a href={href("activate", [ticker])} aria-label={`Use other servers for ${ticker}`}>
            Use other servers
          </a>
        )}
      </p>
    </li>
  );
}

/** The coin of the node's own chain, on which tokens are made. */
function ChainCoin() {
  const coin = useLoad(chainCoin);
  const { name, balance } = coin.value.value ?? lastChainCoin() ?? {};
  if (name === undefined || balance === undefined) {
    return null;
  }
  return (
    <section>
      <h2>Token chain</h2>
      <ul class="coins">
        <li class="coin">
          <h3>
            {name} <small>coin of the node's own chain</small>
          </h3>
          <p class="held">
            <Amount value={balance} unit={name} />
          </p>
          <p class="links-of">
            <span>
              These coins belong to a chain that runs only {connection.value?.kind === "page" ? "in this browser" : "on this node"}. They pay for making and moving tokens there, and have no value elsewhere.
            </span>
            <a href={href("tokens")}>Tokens</a>
          </p>
        </li>
      </ul>
    </section>
  );
}
