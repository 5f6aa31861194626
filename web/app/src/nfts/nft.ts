/** An NFT of the wallet, and what can be said of it. */

import { NodeError, RpcError, type Methods } from "obverse";
import { bounded } from "../bounded.ts";
import { parseExact, type Exact } from "../exact.ts";
import { t } from "../language.ts";
import { connection } from "../node.ts";
import { Said } from "../words.ts";
import type { ChainName } from "./networks.ts";

export type Nft = Methods["get_nft_list"]["result"]["nfts"][number];

/** What names one. */
export interface Token {
  chain: ChainName;
  token_address: string;
  token_id: string;
}

export const tokenOf = (chain: ChainName, { token_address, token_id }: Pick<Nft, "token_address" | "token_id">): Token => ({ chain, token_address, token_id });

export const keyOf = ({ chain, token_address, token_id }: Token): string => `${chain} ${token_address} ${token_id}`;

/** The name for people: its author's, or that of its collection with its number. Authors write what they like into it. */
export const nameOf = ({ uri_meta, name, token_id }: Pick<Nft, "name" | "token_id"> & { uri_meta: { name: string | null } }): string => uri_meta.name || `${name || "NFT"} #${token_id.length > 12 ? `${token_id.slice(0, 4)}…${token_id.slice(-4)}` : token_id}`;

/** Whether the node hides it unless it is told not to. */
export const isSuspect = ({ possible_spam, possible_phishing }: Pick<Nft, "possible_spam" | "possible_phishing">): boolean => possible_spam || possible_phishing;

export type Known = Exact<Methods["get_nft_metadata"]["result"]>;

/** Whether an error says that the wallet does not have the NFT. */
export const isNotHere = (error: unknown): boolean => error instanceof RpcError && error.kind === "TokenNotFoundInWallet";

/** Such an error in words; others as they are. */
export const notHere = (error: unknown): unknown => (isNotHere(error) ? new Said(t("send.nftgone"), t("send.nftgonetodo"), error) : error);

/** All that is kept of one. Numbers of its author keep their digits. */
export async function load(token: Token): Promise<Known> {
  const node = connection.peek();
  if (!node) {
    throw new NodeError("NotRunning", "no node is running");
  }
  const { status, body } = await node.raw.call("get_nft_metadata", JSON.stringify({ ...token, protect_from_spam: true }));
  const answer = parseExact(body) as { result?: Known; error?: unknown };
  if (answer.result === undefined) {
    throw new RpcError(status, answer);
  }
  return bounded("get_nft_metadata", {}, answer.result);
}
