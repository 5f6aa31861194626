import { nameOf } from "../../coins/catalog.ts";
import { t } from "../../language.ts";
import { rpc } from "../../node.ts";
import type { Token } from "../../nfts/nft.ts";
import { Address } from "../../ui/address.tsx";
import { Fact } from "../../ui/fact.tsx";
import { useLoad } from "../../ui/task.ts";
import { when } from "../../ui/when.ts";
import "../history.css";

/** The node lists the transfers of all NFTs: so many of the newest are searched for those of one NFT. */
const AMONG = 1000;

/** The transfers of an NFT. */
export function Transfers({ token, platform }: { token: Token; platform: string }) {
  const load = useLoad(async () => {
    const { transfer_history: all } = await rpc("get_nft_transfers", { chains: [token.chain], limit: AMONG, protect_from_spam: true });
    return all.filter((one) => one.token_address === token.token_address && one.token_id === token.token_id);
  }, [token.token_address, token.token_id]);
  const list = load.value.value;
  if (!list) {
    return null;
  }
  if (list.length === 0) {
    return <p class="muted otherwise">{t("nft.notransfers", { network: nameOf(platform) })}</p>;
  }
  return (
    <section>
      <h2>{t("nft.transfers")}</h2>
      <ul class="history">
        {list.map(({ transaction_hash: hash, log_index, status, block_timestamp: seconds, amount, from_address: from, to_address: to, contract_type }) => (
          <li key={`${hash} ${log_index}`}>
            <details>
              <summary>
                <span class="entry">
                  <span>
                    {status === "Receive" ? (/^0x0{40}$/.test(from) ? t("nft.minted") : t("nft.received")) : t("nft.sent")}
                    <small>{when(new Date(seconds * 1000))}</small>
                  </span>
                  {contract_type !== "ERC721" && <span>× {amount}</span>}
                </span>
              </summary>
              <dl>
                <Fact name={t("nft.from")}>
                  <Address value={from} what={t("nft.fromaddress")} />
                </Fact>
                <Fact name={t("nft.to")}>
                  <Address value={to} what={t("nft.toaddress")} />
                </Fact>
                <Fact name={t("nft.transaction")}>
                  <Address value={hash} what={t("nft.txhash")} />
                </Fact>
              </dl>
            </details>
          </li>
        ))}
      </ul>
    </section>
  );
}
