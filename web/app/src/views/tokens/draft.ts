/** A decoded transaction, for display before or after its broadcast. */

import { DaemonError } from "obverse";
import { toUnits } from "../../decimal.ts";
import { t } from "../../language.ts";
import { BURN_KEY, COIN_DECIMALS, type Account } from "./account.ts";
import { ask, askEach, type Answer } from "./daemon.ts";
import { payloadOf, type Payload } from "./payload.ts";

type Decoded = Answer<"decoderawtransaction">;
type Out = Decoded["vout"][number];

export interface Input {
  /** "" for the input of a coinbase transaction. */
  txid: string;
  n: string;
  /** In satoshis; null if this chain does not know the spent output. */
  value: bigint | null;
  address: string;
}

export interface Output {
  n: string;
  value: bigint;
  /** tokens: value is the number of tokens. */
  is: "coins" | "tokens" | "marker" | "payload" | "data" | "other";
  address: string;
  /** The owner in words, as far as known. */
  owner: string;
  /** Hexadecimal. */
  script: string;
}

export interface Draft {
  hex: string;
  txid: string;
  bytes: number;
  /** 0 if it does not expire. */
  expires: string;
  payload: Payload | null;
  inputs: Input[];
  outputs: Output[];
  /** In satoshis; null if it is not known. */
  fee: bigint | null;
}

const units = (coins: string): bigint => toUnits(coins, COIN_DECIMALS) ?? 0n;

/** Decodes a transaction in hexadecimal. */
export async function draftOf(hex: string, account: Account): Promise<Draft> {
  const tx = await ask("decoderawtransaction", hex);
  const payload = tx.vout.map((out) => payloadOf(out.scriptPubKey.hex ?? "")).find((found) => found !== null) ?? null;
  const [inputs, owners] = await Promise.all([inputsOf(tx), ownersOf(payload, account)]);
  const outputs = tx.vout.map((out) => outputOf(out, payload, owners, account));
  return { hex, txid: tx.txid, bytes: hex.length / 2, expires: tx.expiryheight ?? "0", payload, inputs, outputs, fee: feeOf(tx, inputs, outputs) };
}

async function inputsOf(tx: Decoded): Promise<Input[]> {
  const spent = tx.vin.filter(({ txid }) => txid !== undefined).map(({ txid = "", vout = "0" }) => ({ txid, n: vout }));
  const outs = await askEach("gettxout", spent.map(({ txid, n }) => [txid, Number(n)]));
  const found = outs.map((out) => (out instanceof DaemonError ? null : out));
  // The previous transactions of spent outputs are requested in addition.
  const missing = spent.filter((_, i) => !found[i]);
  const sources = await askEach("getrawtransaction", missing.map(({ txid }) => [txid, 1]));
  return spent.map(({ txid, n }, i) => {
    const source = sources[missing.findIndex((one) => one.txid === txid && one.n === n)];
    const out = found[i] ?? (source === undefined || source instanceof DaemonError || typeof source === "string" ? undefined : source.vout[Number(n)]);
    return { txid, n, value: out ? units(out.value) : null, address: out?.scriptPubKey.addresses?.[0] ?? "" };
  });
}

/** Returns known owners by address. */
async function ownersOf(payload: Payload | null, { address, holder, marker, burned }: Account): Promise<Map<string, string>> {
  const known = new Map([
    [address, "you"],
    [holder, "you"],
    [marker, t("tokens.module")],
    [burned, t("tokens.burnedowner")],
  ]);
  const keys = payload?.is === "transfer" ? payload.keys.filter((key) => key !== BURN_KEY) : [];
  const addresses = await askEach("tokenaddress", keys.map((key) => [key]));
  for (const [i, found] of addresses.entries()) {
    const condition = found instanceof DaemonError ? undefined : found["PubkeyCCaddress(Tokens)"];
    if (condition !== undefined && !known.has(condition)) {
      known.set(condition, t("tokens.ownerkey", { key: keys[i] }));
    }
  }
  return known;
}

function outputOf({ n, value, scriptPubKey }: Out, payload: Payload | null, owners: Map<string, string>, { marker }: Account): Output {
  const address = scriptPubKey.addresses?.[0] ?? "";
  const script = scriptPubKey.hex ?? "";
  const kind = (): Output["is"] => {
    switch (scriptPubKey.type) {
      case "nulldata":
        return payloadOf(script) ? "payload" : "data";
      case "cryptocondition":
        return address === marker ? "marker" : payload ? "tokens" : "other";
      case "nonstandard":
        return "other";
      default:
        return "coins";
    }
  };
  return { n, value: units(value), is: kind(), address, owner: owners.get(address) ?? "", script };
}

function feeOf(tx: Decoded, inputs: Input[], outputs: Output[]): bigint | null {
  const shielded = tx.vjoinsplit.length + (tx.vShieldedSpend?.length ?? 0) + (tx.vShieldedOutput?.length ?? 0);
  if (shielded > 0 || inputs.length < tx.vin.length || inputs.some(({ value }) => value === null)) {
    return null;
  }
  const spent = inputs.reduce((sum, { value }) => sum + (value ?? 0n), 0n);
  return spent - outputs.reduce((sum, { value }) => sum + value, 0n);
}
