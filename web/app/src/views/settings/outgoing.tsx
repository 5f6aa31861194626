import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { isLightning, isNftNetwork, platformOf } from "../../coins/catalog.ts";
import { holdings, nftNetworks } from "../../coins/holdings.ts";
import { networkName } from "../../coins/names.ts";
import { servicesOf, settingsOf } from "../../coins/remembered.ts";
import { canResume, resume, stop, stopped } from "../../coins/stopped.ts";
import { t } from "../../language.ts";
import { recall, remember } from "../../memory.ts";
import { connection, relay, rpc } from "../../node.ts";
import { href } from "../../route.ts";
import { restartNode } from "../../session/wallets.ts";
import { Check } from "../../ui/check.tsx";
import { Fault } from "../../ui/fault.tsx";
import { useLoad, useTask } from "../../ui/task.ts";
import { chainName } from "../../nfts/networks.ts";
import { showPictures, showsPictures } from "../nfts/picture.tsx";

/** The default relay. */
const RELAY = "wss://relay.walletconnect.org";
/** Stores the project ID of a relay that is switched off. */
const PAUSED = "walletconnect.paused";

/** Returns the hosts of addresses, each once. */
const hostsOf = (urls: readonly string[]): string => [...new Set(urls.filter((url) => URL.canParse(url)).map((url) => new URL(url).host))].join(", ");

/** Sorts tickers in an order that does not depend on what is switched on. */
const inPlace = (tickers: string[]): string[] => tickers.sort((a, b) => networkName(a).localeCompare(networkName(b)));

/** All internet services that an open wallet uses, each with a switch; prices have theirs above. */
export function Outgoing() {
  const off = stopped();
  const active = (holdings.value ?? []).filter(({ ticker, platform }) => platform === null && !isLightning(ticker)).map(({ ticker }) => ticker);
  const networks = inPlace([...active, ...off.filter((ticker) => !isNftNetwork(ticker))]);
  const nfts = inPlace([...nftNetworks.value, ...off.filter(isNftNetwork)]);
  return (
    <>
      <h3>{t("privacy.outgoing")}</h3>
      <p>{t("privacy.outgoingabout")}</p>
      {networks.map((ticker) => (
        <Row key={ticker} ticker={ticker} on={!off.includes(ticker)} label={networkName(ticker)} hosts={<ServersOf ticker={ticker} />} />
      ))}
      {nfts.map((ticker) => (
        <Row key={ticker} ticker={ticker} on={!off.includes(ticker)} label={t("privacy.nfts", { network: networkName(platformOf(ticker) ?? ticker) })} hosts={hostsOf(Object.values(servicesOf(ticker) ?? {}).map(String)) || <ServersOf ticker={platformOf(ticker) ?? ticker} />} />
      ))}
      {nfts.length > 0 && (
        <Check checked={showsPictures.value} onCheck={showPictures}>
          {t("privacy.pictures")}{" "}
          <small>
            {t("privacy.picturesabout")}
            <AuthorsHosts platforms={nftNetworks.value.flatMap((ticker) => platformOf(ticker) ?? [])} />
          </small>
        </Check>
      )}
      {connection.value?.kind === "page" && (relay.get().project || recall(PAUSED)) && <Relay />}
    </>
  );
}

/** A network or an NFT list, and whether its servers are used. */
function Row({ ticker, on, label, hosts }: { ticker: string; on: boolean; label: string; hosts: ComponentChildren }) {
  const task = useTask(() => (on ? stop(ticker) : resume(ticker)));
  return (
    <>
      <Check checked={on} disabled={task.busy.value || (!on && !canResume(ticker))} onCheck={() => void task.run()}>
        {label} <small>{hosts}</small>
      </Check>
      {!on && !canResume(ticker) && <a href={href("activate", [ticker])}>{t("coin.manage")}</a>}
      <Fault error={task.error.value} />
    </>
  );
}

/** The servers that the node uses for a network, or would use if it is switched on. */
function ServersOf({ ticker }: { ticker: string }) {
  const known = useLoad(() => rpc("get_coin_nodes", { coin: ticker }).catch(() => null), [ticker, connection.value]).value.value?.nodes;
  return <>{hostsOf(Array.isArray(known) ? known.map(({ url }) => url) : (settingsOf(ticker)?.nodes ?? []))}</>;
}

/** Hosts that the authors of the listed NFTs chose. */
function AuthorsHosts({ platforms }: { platforms: string[] }) {
  const load = async () => (platforms.length ? (await rpc("get_nft_list", { chains: platforms.map(chainName), max: true })).nfts : []);
  const nfts = useLoad(load, [platforms.join(" ")]).value.value ?? [];
  const hosts = hostsOf(nfts.flatMap(({ token_uri, uri_meta }) => [token_uri ?? "", uri_meta.image_url ?? ""]).filter((url) => /^https?:/i.test(url)));
  return <>{hosts && `: ${hosts}`}</>;
}

/** The relay for WalletConnect. */
function Relay() {
  const { project, url } = relay.get();
  const on = useSignal(project !== "");
  const task = useTask(async () => {
    relay.set(on.peek() ? "" : (recall(PAUSED) ?? ""), url);
    remember(PAUSED, on.peek() ? project : "");
    on.value = !on.peek();
    await restartNode();
  });
  return (
    <>
      <Check checked={on.value} disabled={task.busy.value} onCheck={() => void task.run()}>
        WalletConnect <small>{hostsOf([url || RELAY])}</small>
      </Check>
      <Fault error={task.error.value} />
    </>
  );
}
