import { useEffect } from "preact/hooks";
import { platformOf } from "../coins/catalog.ts";
import { addressLink } from "../coins/directory.ts";
import { isEvm } from "../coins/family.ts";
import { Gate } from "../coins/gate.tsx";
import { refresh, total, type Holding } from "../coins/holdings.ts";
import { lastKnown } from "../coins/lastknown.ts";
import { Logo } from "../coins/logo.tsx";
import { coinName, fullName, networkName, symbolOf } from "../coins/names.ts";
import { followPrices, lastPriceOf, prices, worth } from "../coins/prices.ts";
import { isUsed, useServers } from "../coins/servers.ts";
import { t } from "../language.ts";
import { money } from "../money.ts";
import { hasNfts } from "../nfts/networks.ts";
import { hideAmounts } from "../privacy.ts";
import { href, route } from "../route.ts";
import { Amount } from "../ui/amount.tsx";
import { Fact } from "../ui/fact.tsx";
import { Fault } from "../ui/fault.tsx";
import { Icon, type IconName } from "../ui/icon.tsx";
import { Outside } from "../ui/outside.tsx";
import { Dots } from "../ui/short.tsx";
import { ShortAddress } from "../ui/shortaddress.tsx";
import { Title } from "../ui/title.tsx";
import { when } from "../ui/when.ts";
import { Change } from "./home/summary.tsx";
import "../coins/coins.css";
import "./coin.css";

/** One coin: the balance, its value and the available actions. */
export default function CoinView() {
  const [ticker = ""] = route.value.args;
  useEffect(followPrices, []);
  return (
    <>
      <Title text={coinName(ticker) || t("view.coin")}>
        <Logo ticker={ticker} /> {coinName(ticker)} <small>{fullName(ticker)}</small>
      </Title>
      <Gate todo={t("coin.gate")} waiting={(holding) => <Shown key={holding.ticker} holding={holding} />}>{(holding) => <Shown key={holding.ticker} holding={holding} />}</Gate>
    </>
  );
}

function Shown({ holding }: { holding: Holding }) {
  const { ticker, address, balance, error } = holding;
  const [value, price] = [worth(holding), lastPriceOf(ticker)];
  const link = addressLink(ticker, address);
  const last = balance ? undefined : lastKnown(ticker); // while no server of its network responds
  return (
    <div class="onecoin">
      <section class="have">
        <p class="exact">{hideAmounts.get() ? <Dots /> : balance || last ? <Amount value={balance ? total(balance) : (last?.amount ?? null)} unit={symbolOf(ticker)} /> : <span class="muted">…</span>}</p>
        <p class="under">{value !== null && !hideAmounts.get() && money(value, prices.value?.currency)}</p>
        {last && <p>{t("coin.lastknown", { time: when(new Date(last.at)) })}</p>}
        {balance && balance.unspendable !== "0" && !hideAmounts.get() && (
          <p>
            <Amount value={balance.spendable} /> {t("coin.spendable")} <Amount value={balance.unspendable} /> {t("coin.unspendable")}
          </p>
        )}
        {Boolean(error) && <Fault error={error} retry={() => void refresh()} />}
        <p class="acts">
          <Action view="send" ticker={ticker} icon="send" label={t("view.send")} />
          <Action view="receive" ticker={ticker} icon="receive" label={t("view.receive")} />
          <Action view="history" ticker={ticker} icon="activity" label={t("view.history")} />
          {isEvm(ticker) && platformOf(ticker) === null && hasNfts(ticker) && <Action view="nfts" ticker={ticker} icon="picture" label={t("nav.nfts")} />}
        </p>
      </section>
      <dl>
        {price && (
          <Fact name={t("coin.price")}>
            {money(Number(price.price), prices.value?.currency)} {price.change_24h !== undefined && <Change part={Number(price.change_24h) / 100} text={t("home.day")} />}
            <small class="source">{t("coin.pricefrom", { host: prices.value?.host ?? "", time: price.time ? when(new Date(price.time * 1000)) : "" })}</small>
          </Fact>
        )}
        {address !== "" && (
          <Fact name={t("coin.address")}>
            <span class="where">
              <ShortAddress value={address} what={t("coin.youraddress", { coin: ticker })} />
              {link && <Outside href={link}>{t("explorer")}</Outside>}
            </span>
          </Fact>
        )}
        <Fact name={t("coin.servers")}>
          <Servers ticker={platformOf(ticker) ?? ticker} /> <a href={href("activate", [platformOf(ticker) ?? ticker])}>{t("coin.manage")}</a>
        </Fact>
      </dl>
    </div>
  );
}

/** The operators that see the addresses of this network. */
function Servers({ ticker }: { ticker: string }) {
  const servers = useServers(ticker);
  if (servers === null) {
    return <>…</>; // the node has not responded, or has no such method
  }
  const used = servers.filter(isUsed);
  const hosts = [...new Set(used.map(({ url }) => hostOf(url)))];
  return <>{hosts.length > 0 ? t("coin.operators", { hosts: hosts.join(", ") }) : t("coin.noservers", { network: networkName(ticker) })}</>;
}

function hostOf(url: string): string {
  try {
    return new URL(url).host;
  } catch {
    return url;
  }
}

function Action({ view, ticker, icon, label }: { view: string; ticker: string; icon: IconName; label: string }) {
  return (
    <a class="act" href={href(view, [ticker])} aria-label={`${label} ${ticker}`}>
      <Icon name={icon} />
      {label}
    </a>
  );
}
