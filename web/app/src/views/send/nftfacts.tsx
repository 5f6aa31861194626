import { useEffect } from "preact/hooks";
import { nftNetworkOf } from "../../coins/catalog.ts";
import { nftText, type Item } from "../../coins/outbox.ts";
import { servicesOf } from "../../coins/remembered.ts";
import { stage } from "../../coins/sending.ts";
import { t } from "../../language.ts";
import { rpc } from "../../node.ts";
import { asked, NONE, turned } from "../../nfts/networks.ts";
import { Address } from "../../ui/address.tsx";
import { Fact } from "../../ui/fact.tsx";

/** Which NFT is sent, and how many of it. */
export function NftFacts({ nft }: { nft: Item }) {
  return (
    <>
      <Fact name="NFT">
        <bdi>{nftText(nft)}</bdi>
      </Fact>
      <Fact name={t("nft.contract")}>
        <Address value={nft.token_address} copy={false} />
      </Fact>
      <Fact name={t("nft.tokenid")}>
        <Address value={nft.token_id} copy={false} />
      </Fact>
    </>
  );
}

/** The same of a transaction: once that is in its block, the node lists what is left. */
export default function Sent({ nft, coin }: { nft: Item; coin: string }) {
  const { is } = stage.value;
  useEffect(() => {
    if (is === "done") {
      const services = servicesOf(nftNetworkOf(coin)) ?? NONE;
      void rpc("update_nft", { chains: [nft.chain], ...asked(services, false) }).then(
        () => turned.value++,
        () => {}, // the list has a button for it
      );
    }
  }, [is]);
  return <NftFacts nft={nft} />;
}
