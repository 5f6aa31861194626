import { Network } from "../../coins/coinchoice.tsx";
import type { Known } from "../../nfts/nft.ts";
import { traitsOf } from "../../nfts/traits.ts";
import { Address } from "../../ui/address.tsx";
import { Amount } from "../../ui/amount.tsx";
import { Copy } from "../../ui/copy.tsx";
import { Fact } from "../../ui/fact.tsx";
import { when } from "../../ui/when.ts";

const kinds: Record<string, string> = { ERC721: "ERC-721, of which there is one", ERC1155: "ERC-1155, of which there may be many" };

/** When the indexer looked, as it tells. */
function When({ text }: { text: string }) {
  const at = new Date(text);
  return Number.isNaN(at.getTime()) ? <>{text}</> : <time dateTime={at.toISOString()}>{when(at)}</time>;
}

/** What tells one NFT from all others, in full. */
export function Facts({ platform, nft }: { platform: string; nft: Known }) {
  const { name, symbol, token_address, token_id, contract_type, amount, last_metadata_sync } = nft;
  return (
    <dl class="facts">
      {name && (
        <Fact name="Collection">
          <bdi>{name}</bdi> {symbol && <small>{symbol}</small>}
        </Fact>
      )}
      <Fact name="Network">
        <Network ticker={platform} />
      </Fact>
      <Fact name="Contract">
        <Address value={token_address} what="the address of the contract" />
      </Fact>
      <Fact name="Token id">
        <Address value={token_id} what="the token id" />
      </Fact>
      <Fact name="Kind">{kinds[contract_type] ?? contract_type}</Fact>
      {(contract_type !== "ERC721" || amount !== "1") && (
        <Fact name="You hold">
          <Amount value={amount} />
        </Fact>
      )}
      {last_metadata_sync && (
        <Fact name="Described as of">
          <When text={last_metadata_sync} />
        </Fact>
      )}
    </dl>
  );
}

/** What its author says of its looks. */
export function Traits({ attributes }: { attributes: unknown }) {
  const traits = traitsOf(attributes);
  if (traits.length === 0) {
    return null;
  }
  return (
    <section>
      <h2>Traits</h2>
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

/** Addresses that its author wrote: to read, not to click. */
export function Links({ nft: { token_uri, uri_meta } }: { nft: Known }) {
  const { image_url, animation_url, external_url } = uri_meta;
  const list = ([["Description", token_uri], ["Picture", image_url], ["Animation", animation_url], ["Page", external_url]] as const).filter((link): link is [(typeof link)[0], string] => Boolean(link[1]));
  if (list.length === 0) {
    return null;
  }
  return (
    <details class="otherwise">
      <summary>Addresses in it</summary>
      <p>
        <small>Written by the NFT's author. They are deliberately not links: visit them only if you trust the author.</small>
      </p>
      <dl>
        {list.map(([name, url]) => (
          <Fact key={name} name={name}>
            <code class="url">{url.length > LONG ? `${url.slice(0, LONG)}…` : url}</code> <Copy text={url} what={`the address: ${name.toLowerCase()}`} />
          </Fact>
        ))}
      </dl>
    </details>
  );
}

const LONG = 300;
