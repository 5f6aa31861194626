import { useEffect } from "preact/hooks";
import { nftNetworkOf } from "../../coins/catalog.ts";
import { nftText, type Item } from "../../coins/outbox.ts";
import { servicesOf } from "../../coins/remembered.ts";
import { stage } from "../../coins/sending.ts";
import { t } from "../../language.ts";
import { rpc } from "../../node.ts";
import { servicesRequest, NONE, turned } from "../../nfts/networks.ts";
import { Address } from "../../ui/address.tsx";
import { Fact } from "../../ui/fact.tsx";

/** The NFT that is sent, and the number. */
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

/** The same for a confirmed transaction; then the node refreshes its list. */
export default function Sent({ nft, coin }: { nft: Item; coin: string }) {
  const { is } = stage.value;
  useEffect(() => {
    if (is === "done") {
      const services = servicesOf(nftNetworkOf(coin)) ?? NONE;
      void rpc("update_nft", { chains: [nft.chain], ...servicesRequest(services, false) }).then(
        () => turned.value++,
        () => {}, // the list has a button to refresh
      );
    }
  }, [is]);
  return <NftFacts nft={nft} />;
}
