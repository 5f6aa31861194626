/**
 * Requests of the site that opened this window. They wait in a queue, and one at a time is
 * shown to the user; read-only requests are answered at once. Nothing else is answered without the
 * user's approval, given now or, for accounts, earlier in this session: see sites.ts.
 */

import { computed, effect, signal, untracked } from "@preact/signals";
import { ProviderError } from "obverse";
import { t } from "../language.ts";
import { connection } from "../node.ts";
import { idOf } from "../session/profile.ts";
import { phase, profile } from "../session/session.ts";
import { link, type Link } from "./link.ts";
import { accountsOf, changes, connect, disconnect, type Account } from "./sites.ts";

/** The meaning of a signature or a transaction: core/wallet/dapp. */
export interface Description {
  coin: string;
  chain: string;
  address: string;
  kind: "send" | "transfer" | "approve" | "call" | "deploy" | "message" | "typedData" | "transaction";
  lines: { name: string; value: string }[];
  warnings: string[];
  fee?: { coin: string; amount: string };
  params: unknown;
}

interface Request {
  from: Link;
  id: number;
  method: string;
  params: unknown;
  chain: string;
}

/** The request on display: accounts to approve, on the chains that were requested; or something to sign. */
export type Shown = { request: Request } & ({ is: "connect"; offers: Account[]; missing: string[] } | { is: "sign"; what: Description } | { is: "native" });

const MAX_WAITING = 20;
const MAX_READS = 20;
const MAX_PARAMS = 256 * 1024; // characters
const MAX_NAME = 100;
const MAX_CHAINS = 20;

const REJECTED = 4001;
const UNAUTHORIZED = 4100;
const UNSUPPORTED = 4200;
const DISCONNECTED = 4900;
const LIMIT = -32005;
const INVALID = -32602;
const INTERNAL = -32603;

const SIGNING = ["eth_sendTransaction", "personal_sign", "eth_signTypedData_v4", "signDirect", "signAmino"];

const waiting = signal<readonly Request[]>([]);
export const pending = signal<Shown | null>(null);
/** Whether the user has approved the current request. */
export const busy = signal(false);
/** Why an approved request failed. */
export const failure = signal<unknown>(null);
/** The last outcome, in words. */
export const outcome = signal("");
/** Number of requests waiting after the current one. */
export const more = computed(() => Math.max(0, waiting.value.length - 1));
let reads = 0;

const sign = (request: object): Promise<any> => {
  const page = connection.peek()?.page;
  return page ? page.sign(request as Parameters<typeof page.sign>[0]) : Promise.reject(new ProviderError(DISCONNECTED, "the wallet is not open"));
};

const done = (request: Request) => (waiting.value = waiting.peek().filter((one) => one !== request));

function answer(request: Request, result: unknown) {
  done(request);
  request.from.port.postMessage({ id: request.id, result });
}

function refuse(request: Request, error: unknown) {
  done(request);
  const { code = INTERNAL, message = String(error), data } = error as Partial<ProviderError>;
  request.from.port.postMessage({ id: request.id, error: { code, message, ...(typeof data === "string" && { data }) } });
}

const isText = (value: unknown, maxLength: number): value is string => typeof value === "string" && value.length <= maxLength;

/** The connected site, which receives the accounts and their changes. */
let connected: Link | null = null;

/** Returns what is wrong with a request from any site; "" if nothing. */
function fault({ method, params }: Request): string {
  if (method !== "connect") {
    return "";
  }
  const { family, chains = [] } = (params ?? {}) as { family?: unknown; chains?: unknown };
  const fits = (family === "eip155" || family === "cosmos") && Array.isArray(chains) && chains.length <= MAX_CHAINS && chains.every((chain) => isText(chain, MAX_NAME) && chain.startsWith(`${family}:`));
  return fits ? "" : `family is eip155 or cosmos, and chains are at most ${MAX_CHAINS} of it`;
}

/** Parses a message of the site. */
function read(from: Link, message: any): Request | null {
  const { id, method, params, chain } = message ?? {};
  if (id === undefined) {
    return null; // it expects no answer
  }
  const request = { from, id, method: "", params: undefined, chain: "" };
  if (!Number.isSafeInteger(id)) {
    refuse(request, new ProviderError(INVALID, "id must be a whole number"));
    return null;
  }
  if (waiting.peek().some((one) => one.from === from && one.id === id)) {
    refuse(request, new ProviderError(INVALID, `id ${id} is that of a request that waits`));
    return null;
  }
  if (!isText(method, MAX_NAME) || !isText(chain, MAX_NAME) || !isText(params, MAX_PARAMS)) {
    refuse(request, new ProviderError(INVALID, `the request is invalid or too long: params may have ${MAX_PARAMS} letters`));
    return null;
  }
  try {
    return { ...request, method, chain, params: JSON.parse(params) };
  } catch {
    refuse(request, new ProviderError(INVALID, "params are not JSON"));
    return null;
  }
}

const isRead = ({ method }: Request) => method.startsWith("eth_") && !SIGNING.includes(method);

/** Returns the error for a request that is rejected without being displayed. It is the same while the wallet is locked, so that a site that is not connected cannot detect that. */
function objection(request: Request): ProviderError | null {
  const wrong = fault(request);
  if (wrong) {
    return new ProviderError(INVALID, wrong);
  }
  if (!isRead(request) && ![...SIGNING, "connect", "disconnect"].includes(request.method)) {
    return new ProviderError(UNSUPPORTED, `the method ${request.method} is not supported`);
  }
  const [count, limit] = isRead(request) ? [reads, MAX_READS] : [waiting.peek().length, MAX_WAITING];
  return count < limit ? null : new ProviderError(LIMIT, `too many requests are waiting, limit is ${limit}`);
}

async function take(from: Link, message: any) {
  if (message?.bye) {
    link.value = link.peek() === from ? null : link.peek();
    return;
  }
  const request = read(from, message);
  const wrong = request && objection(request);
  if (request && wrong) {
    refuse(request, wrong);
  } else if (request && isRead(request)) {
    await lookUp(request);
  } else if (request) {
    waiting.value = [...waiting.peek(), request];
    await admit(request);
  }
}

/** Queues a request if the site is allowed to make it. */
async function admit(request: Request) {
  try {
    request.method === "connect" || (await authorize(request));
    admitted.add(request);
  } catch (error) {
    refuse(request, error);
  }
  await next();
}

/** Queued requests that may be displayed. */
const admitted = new WeakSet<Request>();

/** Has the coin's nodes answer a read-only request. */
async function lookUp(request: Request) {
  reads++;
  try {
    await authorize(request);
    const { chain, method, params } = request;
    answer(request, await sign({ do: "read", chain, method, params }));
  } catch (error) {
    refuse(request, error);
  } finally {
    reads--;
  }
}

/** Throws an error unless the user has let the site use this account, or any account of the chain. */
async function authorize({ from: { origin }, chain, method }: Request, address = "") {
  const accounts = phase.peek() === "open" ? await accountsOf(origin) : [];
  const fits = (account: Account) => method === "disconnect" || (account.chain === chain && (address === "" || account.address.toLowerCase() === address.toLowerCase()));
  if (!accounts.some(fits)) {
    throw new ProviderError(UNAUTHORIZED, "this site is not connected to that account: connect first");
  }
}

const isReady = () => phase.peek() === "open" && connection.peek() !== null;

let preparing = false;

/** Shows the first request of the queue, after answering those that need no confirmation. */
async function next() {
  if (preparing) {
    return;
  }
  preparing = true;
  try {
    for (let [first] = waiting.peek(); first && admitted.has(first) && isReady() && !pending.peek(); [first] = waiting.peek()) {
      const prepared = await prepare(first);
      if (prepared && isReady() && waiting.peek().includes(first)) {
        outcome.value = "";
        pending.value = prepared;
      }
    }
  } finally {
    preparing = false;
  }
}

async function prepare(request: Request): Promise<Shown | null> {
  try {
    if (!connection.peek()?.page) {
      return { request, is: "native" };
    }
    if (request.method === "connect") {
      return await prepareConnect(request);
    }
    if (request.method === "disconnect") {
      await disconnect(request.from.origin);
      answer(request, null);
      return null;
    }
    await authorize(request);
    const { chain, method, params } = request;
    const what: Description = await sign({ do: "describe", chain, method, params });
    await authorize(request, what.address);
    return { request, is: "sign", what };
  } catch (error) {
    if (isReady()) {
      refuse(request, error);
    } // otherwise it is described again when the wallet is open again
    return null;
  }
}

async function prepareConnect(request: Request): Promise<Shown | null> {
  const { family, chains: named = [] } = request.params as { family: string; chains?: string[] };
  const has = await accountsOf(request.from.origin);
  const inFamily = ({ chain }: Account) => chain.startsWith(`${family}:`);
  if (named.length > 0 ? named.every((chain) => has.some((account) => account.chain === chain)) : has.some(inFamily)) {
    tellAccounts(request, has);
    return null;
  }
  const active: Account[] = await sign({ do: "accounts" });
  const offers = active.filter((account) => inFamily(account) && (named.length === 0 || named.includes(account.chain)));
  return { request, is: "connect", offers, missing: named.filter((chain) => !offers.some((offer) => offer.chain === chain)) };
}

function tellAccounts(request: Request, accounts: Account[]) {
  connected = request.from;
  answer(request, accounts);
}

/** Shows the next request. */
function leave() {
  pending.value = null;
  failure.value = null;
  void next();
}

/** Lets the site use the accounts that the user chose. */
export async function agree(now: Shown, chosen: readonly Account[]): Promise<void> {
  const { origin } = now.request.from;
  await connect(origin, chosen);
  const accounts = await accountsOf(origin);
  if (pending.peek() === now) {
    tellAccounts(now.request, accounts);
    leave();
  }
}

const SENDING = ["eth_sendTransaction"];

/** Signs the current request and sends it if it is a transaction to send. */
export async function confirm(now: Shown & { is: "sign" }): Promise<void> {
  const { request, what } = now;
  busy.value = true;
  try {
    await authorize(request, what.address);
    request.from.port.postMessage({ confirmed: request.id });
    const result = await sign({ do: "execute", chain: request.chain, method: request.method, params: what.params });
    answer(request, result);
    outcome.value = SENDING.includes(request.method) ? t("dapps.sent") : t("dapps.signed");
    busy.value = false;
    leave();
  } catch (error) {
    refuse(request, error);
    failure.value = error;
  } finally {
    busy.value = false;
  }
}

/** Rejects a request for the user. */
export function reject(now: Shown) {
  failure.value === null && refuse(now.request, new ProviderError(REJECTED, "the request was rejected"));
  leave();
}

/** Rejects all queued requests. */
export function rejectAll() {
  waiting.peek().forEach((request) => refuse(request, new ProviderError(REJECTED, "the request was rejected")));
  leave();
}

/**
 * Refreshes the accounts: after the wallet is opened, coins are restored one by one, and the user may activate one
 * elsewhere, or connect the site in another window, which answers the request.
 */
export async function lookAgain(now: Shown): Promise<void> {
  const after = await prepare(now.request);
  if (pending.peek() !== now) {
    return;
  }
  if (!waiting.peek().includes(now.request)) {
    leave();
  } else if (after && JSON.stringify(offersOf(now)) !== JSON.stringify(offersOf(after))) {
    pending.value = after;
  }
}

const offersOf = (what: Shown) => (what.is === "connect" ? what.offers : []);

effect(() => {
  const from = link.value;
  untracked(() => {
    waiting.value = waiting.peek().filter((request) => request.from === from);
    if (!busy.peek() && pending.peek()?.request.from !== from) {
      leave();
    }
    if (from) {
      from.port.onmessage = ({ data }) => void take(from, data);
    }
  });
});

effect(() => {
  const open = phase.value === "open" && connection.value !== null;
  untracked(() => {
    if (!open && !busy.peek()) {
      pending.value = null;
    }
    if (phase.peek() === "locked") {
      connected?.port.postMessage({ accounts: [] });
      connected = null;
    }
    void next();
  });
});

const walletId = computed(() => idOf(profile.value?.page));

// Another tab may have disconnected the site, and another wallet is not connected.
effect(() => {
  void [changes.value, walletId.value];
  const to = connected;
  to && void accountsOf(to.origin).then((accounts) => to.port.postMessage({ accounts }));
});
