/**
 * Event streams shared by the parts of the page. The node has one event stream for this
 * page, so each streamer is enabled once, and disabled when it has no more users.
 * The events are received through subscribe, in node.ts.
 */

import { NodeError, RpcError } from "obverse";
import { connection, type Connection } from "./node.ts";

interface Open {
  wanted: number;
  /** The id of its streamer; null if it was enabled outside this module. */
  id: Promise<string | null>;
}

interface Streams {
  open: Map<string, Open>;
  /** Streamers being disabled, so that they are not enabled too early. */
  closing: Map<string, Promise<unknown>>;
}

const all = new WeakMap<Connection, Streams>();

function streamsOf(node: Connection): Streams {
  const streams = all.get(node) ?? { open: new Map(), closing: new Map() };
  all.set(node, streams);
  return streams;
}

type Enable = (method: string, params: object) => Promise<{ streamer_id: string }>;

async function enable(node: Connection, method: string, params: object): Promise<string | null> {
  try {
    return (await (node.rpc as Enable)(method, params)).streamer_id;
  } catch (error) {
    if (error instanceof RpcError && error.is("EnableError") && error.data === "ClientAlreadyListening") {
      return null;
    }
    throw error;
  }
}

/**
 * Enables a streamer, such as openStream("stream::balance::enable", {coin: "ATOM"}).
 * It returns a function that ends this use: the streamer is disabled when all uses have ended. If it
 * is enabled already, its config stays. The error is the node's.
 */
export async function openStream(method: string, params: { coin?: string; config?: object } = {}): Promise<() => void> {
  const node = connection.peek();
  if (!node) {
    throw new NodeError("NotRunning", "no node is running");
  }
  const { open, closing } = streamsOf(node);
  const key = `${method} ${params.coin ?? ""}`;
  const stream = open.get(key) ?? { wanted: 0, id: Promise.resolve(closing.get(key)).then(() => enable(node, method, params)) };
  open.set(key, stream);
  stream.wanted++;
  let over = false;
  const end = () => {
    if (over) {
      return;
    }
    over = true;
    if (--stream.wanted === 0) {
      open.delete(key);
      const disable = async (id: string | null) => void (id !== null && (await node.rpc("stream::disable", { streamer_id: id })));
      closing.set(key, stream.id.then(disable).catch(() => {}));
    }
  };
  try {
    await stream.id;
  } catch (error) {
    end();
    throw error;
  }
  return end;
}
