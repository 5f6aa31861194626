import { Network } from "../../coins/coinchoice.tsx";
import { t, type Text } from "../../language.ts";
import type { Known } from "../../nfts/nft.ts";
import { traitsOf } from "../../nfts/traits.ts";
import { Address } from "../../ui/address.tsx";
import { Amount } from "../../ui/amount.tsx";
import { Copy } from "../../ui/copy.tsx";
import { Fact } from "../../ui/fact.tsx";
import { when } from "../../ui/when.ts";

const kinds: Record<string, Text> = { ERC721: "nft.single", ERC1155: "nft.multiple" };

/** The time of the indexer's data. */
function When({ text }: { text: string }) {
  const at = new Date(text);
  return Number.isNaN(at.getTime()) ? <>{text}</> : <time dateTime={at.toISOString()}>{when(at)}</time>;
}

/** The identity of an NFT, in full. */
export function Facts({ platform, nft }: { platform: string; nft: Known }) {
  const { name, symbol, token_address, token_id, contract_type, amount, last_metadata_sync } = nft;
  const kind = kinds[contract_type];
  return (
    <dl class="facts">
      {name && (
        <Fact name={t("nft.collection")}>
          <bdi>{name}</bdi> {symbol && <small>{symbol}</small>}
        </Fact>
      )}
      <Fact name={t("nft.network")}>
        <Network ticker={platform} />
      </Fact>
      <Fact name={t("nft.contract")}>
        <Address value={token_address} what={t("nft.contractaddress")} />
      </Fact>
      <Fact name={t("nft.tokenid")}>
        <Address value={token_id} what={t("nft.thetokenid")} />
      </Fact>
      <Fact name={t("nft.kind")}>{kind ? t(kind) : contract_type}</Fact>
      {(contract_type !== "ERC721" || amount !== "1") && (
        <Fact name={t("nft.hold")}>
          <Amount value={amount} />
        </Fact>
      )}
      {last_metadata_sync && (
        <Fact name={t("nft.asof")}>
          <When text={last_metadata_sync} />
        </Fact>
      )}
    </dl>
  );
}

/** The traits in its author's metadata. */
export function Traits({ attributes }: { attributes: unknown }) {
  const traits = traitsOf(attributes);
  if (traits.length === 0) {
    return null;
  }
  return (
    <section>
      <h2>{t("nft.traits")}</h2>
      <dl>
        {traits.map(({ name, value }, n) => (
          <Fact key={n} name={name || "–"}>
            <bdi>{value}</bdi>
          </Fact>
        ))}
      </dl>
    </section>
  );
}

/** Addresses in its author's metadata, which are not links. */
export function Links({ nft: { token_uri, uri_meta } }: { nft: Known }) {
  const { image_url, animation_url, external_url } = uri_meta;
  const list = ([["nft.description", token_uri], ["nft.picture", image_url], ["nft.animation", animation_url], ["nft.page", external_url]] as const).filter((link): link is [(typeof link)[0], string] => Boolean(link[1]));
  if (list.length === 0) {
    return null;
  }
  return (
    <details class="otherwise">
      <summary>{t("nft.links")}</summary>
      <p>
        <small>{t("nft.linksabout")}</small>
      </p>
      <dl>
        {list.map(([name, url]) => (
          <Fact key={name} name={t(name)}>
            <code class="url">{url.length > LONG ? `${url.slice(0, LONG)}…` : url}</code> <Copy text={url} what={t("nft.theaddress", { name: t(name) })} />
          </Fact>
        ))}
      </dl>
    </details>
  );
}

const LONG = 300;
