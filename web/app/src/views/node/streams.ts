/** The streams in the node's OpenRPC document, and the received events. */

import { effect, signal } from "@preact/signals";
import { t, type Text } from "../../language.ts";
import { connection, rpc } from "../../node.ts";
import { openStream } from "../../streams.ts";
import { cut } from "../../words.ts";

/** A stream that can be enabled. */
export interface Choice {
  /** Identifies the stream. */
  key: string;
  label: string;
  method: string;
  coin?: string;
  /** The default seconds between two events, if the interval can be chosen. */
  seconds?: number;
}

interface Schema {
  default?: unknown;
  properties?: Record<string, Schema>;
}

interface Method {
  name: string;
  params: { name: string; required?: boolean; schema: Schema }[];
}

const labels: Record<string, Text> = { heartbeat: "nodes.heartbeats", balance: "nodes.balances" };

/** Returns all streams that can be enabled for the active coins. */
export async function choices(): Promise<Choice[]> {
  const [{ methods }, { coins }] = await Promise.all([rpc("rpc.discover") as Promise<unknown> as Promise<{ methods: Method[] }>, rpc("get_enabled_coins")]);
  return methods.flatMap(({ name, params }): Choice[] => {
    const [, what] = /^stream::(.+)::enable$/.exec(name) ?? [];
    const required = params.filter((param) => param.required).map((param) => param.name);
    if (what === undefined || required.some((param) => param !== "coin")) {
      return [];
    }
    const known = labels[what];
    const label = known ? t(known) : what.replaceAll(/[_:]+/g, " ");
    const seconds = params.find((param) => param.name === "config")?.schema.properties?.["stream_interval_seconds"]?.default;
    const choice = { key: name, label, method: name, ...(typeof seconds === "number" && { seconds }) };
    return required.length === 0 ? [choice] : coins.map(({ ticker }) => ({ ...choice, key: `${name} ${ticker}`, label: t("nodes.ofticker", { label, ticker }), coin: ticker }));
  });
}

/** A received event. */
export interface Seen {
  n: number;
  at: Date;
  type: string;
  /** JSON. */
  message: string;
}

const KEEP = 500;

/** Oldest first; only the newest are stored. */
export const seen = signal<readonly Seen[]>([]);

/** The enabled streams by key, with the functions that end them. */
export const enabled = signal<ReadonlyMap<string, () => void>>(new Map());

let count = 0;

effect(() => {
  const node = connection.value;
  seen.value = [];
  enabled.value = new Map();
  return node?.subscribe("*", ({ _type: type, message }) => {
    seen.value = [...seen.peek().slice(1 - KEEP), { n: ++count, at: new Date(), type, message: cut(JSON.stringify(message)) }];
  });
});

/** Enables or disables a stream. */
export async function choose({ key, method, coin }: Choice, seconds: number | undefined, wanted: boolean): Promise<void> {
  const end = enabled.peek().get(key);
  if (wanted && !end) {
    const opened = await openStream(method, { ...(coin !== undefined && { coin }), ...(seconds !== undefined && { config: { stream_interval_seconds: seconds } }) });
    enabled.value = new Map([...enabled.peek(), [key, opened]]);
  } else if (!wanted && end) {
    end();
    enabled.value = new Map([...enabled.peek()].filter(([other]) => other !== key));
  }
}
