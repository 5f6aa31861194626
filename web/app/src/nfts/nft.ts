/** An NFT of the wallet. */

import { NodeError, RpcError, type Methods } from "obverse";
import { bounded } from "../bounded.ts";
import { parseExact, type Exact } from "../exact.ts";
import { t } from "../language.ts";
import { connection } from "../node.ts";
import { Said } from "../words.ts";
import type { ChainName } from "./networks.ts";

export type Nft = Methods["get_nft_list"]["result"]["nfts"][number];

/** Identifies an NFT. */
export interface Token {
  chain: ChainName;
  token_address: string;
  token_id: string;
}

export const tokenOf = (chain: ChainName, { token_address, token_id }: Pick<Nft, "token_address" | "token_id">): Token => ({ chain, token_address, token_id });

export const keyOf = ({ chain, token_address, token_id }: Token): string => `${chain} ${token_address} ${token_id}`;

/** Returns the display name: the author's, or the collection's with the number. It is untrusted text. */
export const nameOf = ({ uri_meta, name, token_id }: Pick<Nft, "name" | "token_id"> & { uri_meta: { name: string | null } }): string => uri_meta.name || `${name || "NFT"} #${token_id.length > 12 ? `${token_id.slice(0, 4)}…${token_id.slice(-4)}` : token_id}`;

/** Reports whether the node hides the NFT by default. */
export const isSuspect = ({ possible_spam, possible_phishing }: Pick<Nft, "possible_spam" | "possible_phishing">): boolean => possible_spam || possible_phishing;

export type Known = Exact<Methods["get_nft_metadata"]["result"]>;

/** Reports whether an error says that the wallet does not have the NFT. */
export const isNotHere = (error: unknown): boolean => error instanceof RpcError && error.kind === "TokenNotFoundInWallet";

/** Words such an error; returns other errors unchanged. */
export const notHere = (error: unknown): unknown => (isNotHere(error) ? new Said(t("send.nftgone"), t("send.nftgonetodo"), error) : error);

/** Loads all data of an NFT. Numbers of its author keep their digits. */
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
