import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { isSame } from "../coins/addresses.ts";
import { entryOf, isToken, loadDirectory, networkEntry, type Directory, type Network, type Token } from "../coins/directory.ts";
import { watchedFamily } from "../coins/watched.ts";
import { find, holdings, refresh } from "../coins/holdings.ts";
import { Logo } from "../coins/logo.tsx";
import { activateNetwork, activateToken } from "../coins/usual.ts";
import { t } from "../language.ts";
import { profile } from "../session/session.ts";
import { connection } from "../node.ts";
import { href } from "../route.ts";
import { Button } from "../ui/button.tsx";
import { Fault } from "../ui/fault.tsx";
import { Field } from "../ui/field.tsx";
import { Icon } from "../ui/icon.tsx";
import { useLoad, useTask } from "../ui/task.ts";
import { Title } from "../ui/title.tsx";
import { toast } from "../ui/toast.tsx";
import { ByAddress } from "./add/contract.tsx";
import { Discover } from "./add/discover.tsx";
import { ByUrl } from "./add/url.tsx";
import { Names } from "./home/coin.tsx";
import "../coins/coins.css";
import "./add.css";

/** Finds any coin of the directory, a token by its contract, or a network by a server. */
export default function Add() {
  const loaded = useLoad(loadDirectory);
  const text = useSignal("");
  const given = text.value.trim();
  const known = loaded.value.value;
  const external = connection.value?.kind === "page" && profile.value?.page?.kind === "external";
  return (
    <>
      <Title text={t("view.add")} />
      {external && <p class="note">{t("add.external")} <a href={href("activate")}>{t("view.activate")}</a></p>}
      <div class="search">
        <Field label={t("add.search")} hint={t("add.hint")} type="search" value={text.value} onText={(typed) => (text.value = typed)} autoFocus />
      </div>
      <Fault error={loaded.error.value} retry={loaded.reload} />
      {known && (CONTRACT.test(given) && search(known, given).length === 0 ? <ByAddress key={given} contract={given} /> : /^https?:\/\//.test(given) ? <ByUrl key={given} url={given} networks={known.networks} /> : <Found directory={known} text={given} />)}
      <p class="muted privacy">
        <Icon name="shield" />
        {t("add.privacy")} <a href={href("activate")}>{t("add.own")}</a>
      </p>
    </>
  );
}

const MOST = 40;
const CONTRACT = /^0x[0-9a-f]{40}$/i;

type Coin = Network | Token;

/** Returns how well a coin matches; 0 if it does not. The words may be the symbol, the ticker, the name or the network. */
function rank(coin: Coin, words: readonly string[]): number {
  const network = isToken(coin) ? entryOf(coin.platform) : coin;
  const texts = [coin.symbol, coin.coin, coin.name, network && !isToken(network) ? network.network : ""].map((text) => text.toLowerCase());
  const all = words.map((word) => {
    const at = texts.findIndex((text) => text.startsWith(word));
    return at >= 0 ? 10 - at + (texts[at] === word ? 5 : 0) : texts.some((text) => text.includes(word)) ? 1 : 0;
  });
  return all.includes(0) ? 0 : all.reduce((sum, one) => sum + one, 0) + (isToken(coin) ? 0 : 2) + (coin.usual ? 3 : 0);
}

function search({ networks, tokens }: Directory, text: string): Coin[] {
  if (CONTRACT.test(text)) {
    return tokens.filter(({ contract }) => contract !== undefined && isSame(contract, text));
  }
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) {
    return networks.filter((network) => !network.testnet);
  }
  return [...networks, ...tokens].map((coin) => ({ coin, fits: rank(coin, words) })).filter(({ fits }) => fits > 0).sort((a, b) => b.fits - a.fits).map(({ coin }) => coin);
}

function Found({ directory, text }: { directory: Directory; text: string }) {
  const family = watchedFamily();
  const fits = (coin: Coin) => family === null || (isToken(coin) ? networkEntry(coin.coin) : coin)?.kind === family;
  const found = useMemo(() => search(directory, text).filter(fits), [directory, text, family]);
  const hasKeys = connection.value?.kind === "native" || profile.value?.page?.kind === "passphrase";
  return (
    <>
      {text === "" && hasKeys && <Discover />}
      <p class="unseen" role="status">
        {t("add.found", { count: found.length })}
      </p>
      {found.length === 0 && <p class="muted">{t("add.nothing")}</p>}
      <ul class="found">
        {found.slice(0, MOST).map((coin) => (
          <Row key={coin.coin} coin={coin} directory={directory} />
        ))}
      </ul>
      {found.length > MOST && <p class="muted">{t("add.more", { count: found.length - MOST })}</p>}
    </>
  );
}

/** Activates a coin with the public servers of its network; for a token, the network first if needed. */
async function add(coin: Coin, { networks }: Directory): Promise<void> {
  if (!isToken(coin)) {
    await activateNetwork(coin, []);
  } else if (find(coin.platform)) {
    await activateToken(coin);
  } else {
    await activateNetwork(networks.find((network) => network.coin === coin.platform) as Network, [coin]);
  }
  await refresh();
  toast(t("add.done", { coin: coin.name }));
}

function Row({ coin, directory }: { coin: Coin; directory: Directory }) {
  const task = useTask(() => add(coin, directory));
  const active = holdings.value?.some(({ ticker }) => ticker === coin.coin) ?? false;
  return (
    <li>
      <span class="row">
        <Logo ticker={coin.coin} />
        <Names ticker={coin.coin} />
        {active ? (
          <a class="is" href={href("coin", [coin.coin])}>
            <Icon name="check" />
            {t("add.is")}
          </a>
        ) : (
          <Button type="button" class="quiet" busy={task.busy.value} onClick={() => void task.run()} aria-label={t("add.one", { coin: coin.coin })}>
            {t(task.busy.value ? "add.adding" : "add.add")}
          </Button>
        )}
      </span>
      <Fault error={task.error.value} retry={() => void task.run()} />
    </li>
  );
}
