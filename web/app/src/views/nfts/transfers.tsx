import { nameOf } from "../../coins/catalog.ts";
import { rpc } from "../../node.ts";
import type { Token } from "../../nfts/nft.ts";
import { Address } from "../../ui/address.tsx";
import { Fact } from "../../ui/fact.tsx";
import { useLoad } from "../../ui/task.ts";
import { when } from "../../ui/when.ts";
import "../history.css";

/** The node lists those of all NFTs: among so many, the newest, one's own are looked for. */
const AMONG = 1000;

/** How an NFT came, and what went of it. */
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
    return <p class="muted otherwise">Its transfers are not known. They come when the NFTs on {nameOf(platform)} are refreshed.</p>;
  }
  return (
    <section>
      <h2>Transfers</h2>
      <ul class="history">
        {list.map(({ transaction_hash: hash, log_index, status, block_timestamp: seconds, amount, from_address: from, to_address: to, contract_type }) => (
          <li key={`${hash} ${log_index}`}>
            <details>
              <summary>
                <span class="entry">
                  <span>
                    {status === "Receive" ? (/^0x0{40}$/.test(from) ? "Made for you" : "Received") : "Sent"}
                    <small>{when(new Date(seconds * 1000))}</small>
                  </span>
                  {contract_type !== "ERC721" && <span>× {amount}</span>}
                </span>
              </summary>
              <dl>
                <Fact name="From">
                  <Address value={from} what="the address that it came from" />
                </Fact>
                <Fact name="To">
                  <Address value={to} what="the address that it went to" />
                </Fact>
                <Fact name="Transaction">
                  <Address value={hash} what="the hash of the transaction" />
                </Fact>
              </dl>
            </details>
          </li>
        ))}
      </ul>
    </section>
  );
}
