import { coming, failure, holdings, nftNetworks, refresh, returning } from "../coins/holdings.ts";
import { nftNetworkOf, nameOf } from "../coins/catalog.ts";
import { Network } from "../coins/coinchoice.tsx";
import { isEvm } from "../coins/family.ts";
import { Unreachable } from "../coins/unreachable.tsx";
import { t } from "../language.ts";
import { hasNfts } from "../nfts/networks.ts";
import { go, href, route } from "../route.ts";
import { Fault } from "../ui/fault.tsx";
import { Choice } from "../ui/field.tsx";
import { Progress } from "../ui/progress.tsx";
import { Title } from "../ui/title.tsx";
import { Enable } from "./nfts/enable.tsx";
import { Gallery } from "./nfts/gallery.tsx";
import { One } from "./nfts/one.tsx";
import "../coins/coins.css";
import "./nfts.css";

/** The NFTs of the wallet by network. */
export default function Nfts() {
  const [platform, address, id] = route.value.args;
  if (platform !== undefined && address !== undefined && id !== undefined && hasNfts(platform)) {
    return <One key={`${platform} ${address} ${id}`} platform={platform} address={address} id={id} />;
  }
  return (
    <>
      <Title text={t("nav.nfts")} />
      <NetworkNfts requested={platform} />
    </>
  );
}

/** Reports whether the NFTs of a network are listed, or are being restored. */
const isListed = (platform: string): boolean => [...nftNetworks.value, ...returning.value].includes(nftNetworkOf(platform));

function NetworkNfts({ requested }: { requested: string | undefined }) {
  const list = holdings.value;
  if (list === null) {
    return failure.value ? <Fault error={failure.value} retry={() => void refresh()} /> : <Progress label={t("nft.looking")} />;
  }
  const active = list.filter(({ ticker, platform }) => platform === null && hasNfts(ticker) && isEvm(ticker)).map(({ ticker }) => ticker);
  const networks = [...new Set([...active, ...returning.value.filter((ticker) => hasNfts(ticker) && isListed(ticker))])];
  const platform = requested ?? networks.find(isListed) ?? networks[0];
  if (platform === undefined || !networks.includes(platform)) {
    return <None asked={platform} />;
  }
  return (
    <>
      {networks.length === 1 ? (
        <p>
          <Network ticker={platform} />
        </p>
      ) : (
        <div class="narrowform">
          <Choice label={t("nft.network")} value={platform} onText={(chosen) => go("nfts", [chosen])}>
            {networks.map((ticker) => (
              <option key={ticker} value={ticker}>
                {nameOf(ticker)}
              </option>
            ))}
          </Choice>
        </div>
      )}
      {isListed(platform) ? <Gallery key={platform} platform={platform} /> : <Enable key={platform} platform={platform} />}
    </>
  );
}

function None({ asked }: { asked: string | undefined }) {
  const waiting = coming().filter(hasNfts);
  if (asked === undefined ? waiting.length > 0 : waiting.includes(asked)) {
    return (
      <div class="narrowform">
        <Unreachable />
        <p class="muted">{t("nft.unknown")}</p>
      </div>
    );
  }
  return (
    <div class="narrowform">
      <p>{asked === undefined ? t("nft.nonetwork") : t("nft.inactive", { network: asked })}</p>
      <p>
        <a class="go" href={href("activate", [asked ?? "ETH"])}>
          {t("nft.activate", { network: asked ?? "ETH" })}
        </a>
      </p>
    </div>
  );
}
