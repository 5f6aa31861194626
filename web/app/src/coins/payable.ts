/** The coin being sent, as payment requests are checked against it. */

import { signal } from "@preact/signals";
import { written } from "../money.ts";
import { rpc } from "../node.ts";
import { isSame, plain, prefixOf } from "./addresses.ts";
import { chainOf, coinOf, platformOf } from "./catalog.ts";
import { directory, entryOf, isToken, loadDirectory, networkEntry } from "./directory.ts";
import { familyOf } from "./family.ts";
import { find } from "./holdings.ts";
import { fullName, networkName, symbolOf } from "./names.ts";
import { remembered } from "./remembered.ts";
import { BadRequest, isRequest, requestIn, requestOf, type Asked, type Payable } from "./request.ts";
import { empty, type Draft } from "./sending.ts";

/** Decimals of tokens according to their contracts, by network and contract. */
const learnt = signal<Readonly<Record<string, number>>>({});

/** Returns the network and the contract of a token; "" if the contract is not known. */
function placeOf(ticker: string): { platform: string; contract: string } | null {
  const [entry, kept] = [entryOf(ticker), remembered().find((coin) => coin.ticker === ticker)];
  const token = entry && isToken(entry) ? entry : null;
  const platform = token?.platform ?? platformOf(ticker) ?? kept?.platform;
  return platform == null ? null : { platform, contract: token?.contract ?? kept?.contract ?? "" };
}

const keyOf = ({ platform, contract }: { platform: string; contract: string }): string => `${platform} ${plain(contract)}`;

/** Returns the decimals of a coin, if known. */
export const decimalsOf = (ticker: string): number | undefined => coinOf(ticker)?.decimals ?? entryOf(ticker)?.decimals ?? learnt.value[keyOf(placeOf(ticker) ?? { platform: "", contract: "" })];

/** Loads what is needed to check requests for a coin: contracts are in the directory, the decimals of most tokens in their contracts. */
export async function learn(ticker: string): Promise<void> {
  await loadDirectory().catch(() => {});
  const place = placeOf(ticker);
  if (place?.contract && decimalsOf(ticker) === undefined) {
    const { platform, contract } = place;
    const found = await rpc("get_token_info", { protocol: { type: "ERC20", protocol_data: { platform, contract_address: contract } } }).catch(() => null);
    if (found) {
      learnt.value = { ...learnt.peek(), [keyOf(place)]: found.info.decimals };
    }
  }
}

function payableOf(ticker: string, isNft: boolean): Payable {
  const [family, chain, place] = [familyOf(ticker), chainOf(ticker), placeOf(ticker)];
  const home = place?.platform ?? ticker;
  const named = (contract: string): string | null => {
    const known = directory.value?.tokens.find((one) => one.platform === home && isSame(one.contract ?? "", contract))?.coin;
    const found = known ?? remembered().find((one) => one.platform === home && isSame(one.contract ?? "", contract))?.ticker;
    return found === undefined ? null : fullName(found);
  };
  return {
    family,
    symbol: symbolOf(ticker),
    schemes: family === "evm" ? ["ethereum"] : ["cosmos", chain?.prefix ?? prefixOf(find(ticker)?.address ?? ""), chain?.registry, home.toLowerCase()].filter((one) => one != null),
    chain: networkEntry(home)?.chain_id ?? chain?.id ?? "",
    network: networkName(ticker),
    contract: place && place.contract,
    decimals: decimalsOf(ticker),
    isNft,
    called: (contract) => (contract === null ? fullName(home) : named(contract)),
  };
}

/** Returns the fields that a request fills in. An amount that it does not name stays. */
const filledIn = ({ to, amount, memo, unused }: Asked): Partial<Draft> => ({ to, memo, unused, ...(amount !== "" && { amount: written(amount), all: false, fiat: null }) });

/** Returns the fields that an entered, pasted or scanned request fills in; null if the text is not a request. @throws BadRequest */
export const taken = (text: string, { coin, nft }: Pick<Draft, "coin" | "nft">): Partial<Draft> | null => (isRequest(text) ? filledIn(requestIn(text, payableOf(coin, !!nft))) : null);

/** Returns the form as filled in by a link of this page. @throws BadRequest */
export const draftOf = (query: URLSearchParams, ticker: string): Draft => ({ ...empty(ticker), ...filledIn(requestOf(query, payableOf(ticker, false))) });

/** Returns the reason why a request cannot be used; "" if it can, or if the text is not a request. */
export function requestFault(text: string, draft: Pick<Draft, "coin" | "nft">): string {
  try {
    taken(text, draft);
    return "";
  } catch (error) {
    if (error instanceof BadRequest) {
      return error.message;
    }
    throw error;
  }
}
