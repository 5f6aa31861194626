// Programs that TypeScript has to refuse: each line below a @ts-expect-error has one
// mistake. A line without a mistake is an error too.
import { connect, init, type EventOf, type Handle, type Methods, RpcError } from "obverse";
import { mm2_main } from "obverse/upstream";

export async function wrong(node: Handle, error: unknown): Promise<void> {
  // @ts-expect-error there is no such method
  await node.rpc("get_public_kex");
  // @ts-expect-error it is the daemon API's
  await node.rpc("getblockcount");
  // @ts-expect-error it is the node API's
  await node.daemon("get_public_key");
  // @ts-expect-error there is no such parameter
  await node.rpc("my_balance", { coyn: "ATOM" });
  // @ts-expect-error nor together with the correct one
  await node.rpc("my_balance", { coin: "ATOM", of: "me" });
  // @ts-expect-error the parameter is required
  await node.rpc("my_balance", {});
  // @ts-expect-error and so are all parameters
  await node.rpc("my_balance");
  // @ts-expect-error a ticker is a text
  await node.rpc("my_balance", { coin: 1 });
  // @ts-expect-error the method takes no parameters
  await node.rpc("get_public_key", { coin: "ATOM" });
  // @ts-expect-error nodes are objects
  await node.rpc("enable_tendermint_with_assets", { ticker: "ATOM", tokens_params: [], nodes: ["https://node.example"] });
  // @ts-expect-error there is no such policy
  await node.rpc("enable_tendermint_with_assets", { ticker: "ATOM", tokens_params: [], nodes: [], priv_key_policy: "Nobody" });
  // @ts-expect-error a key is a text
  (await node.rpc("get_public_key")).public_key.toFixed();
  // @ts-expect-error the result has no such field
  (await node.rpc("my_balance", { coin: "ATOM" })).balanse;
  // @ts-expect-error an amount is a text, which counts exactly
  const amount: number = (await node.rpc("my_balance", { coin: "ATOM" })).balance;
  // @ts-expect-error the method has parameters
  await node.daemon("tokeninfo");
  // @ts-expect-error a height is a number
  await node.daemon("getblockhash", "1");
  // @ts-expect-error there is no third parameter
  await node.daemon("getblock", 1, 2, 3);
  // @ts-expect-error it may be the bytes
  (await node.daemon("getblock", 1)).height;
  // @ts-expect-error it may be null
  (await node.daemon("gettxout", "00", 0)).value;
  // @ts-expect-error there is no such streamer
  node.subscribe("HEARTBEET", () => {});
  // @ts-expect-error an event has no such field
  node.subscribe("HEARTBEAT", (event) => event.data);
  // @ts-expect-error it is the event of another streamer
  node.subscribe("HEARTBEAT", (event: EventOf<"BALANCE:ATOM">) => event);
  // @ts-expect-error there is no such kind
  if (error instanceof RpcError && error.is("NoSuchCoyn")) throw error;
  // @ts-expect-error the kind has no such data
  if (error instanceof RpcError && error.is("NoSuchCoin")) throw error.data.amount;
  // @ts-expect-error there is no such storage
  await init({ config: {}, storage: "disk" });
  // @ts-expect-error a config is needed
  await init({});
  // @ts-expect-error an address is needed
  connect({ userpass: "x" });
  // @ts-expect-error an HTTP client has nothing to export
  await connect({ url: "" }).export();
  // @ts-expect-error a body is a text
  await node.raw.rpc({ method: "version" });
  // @ts-expect-error a config is an object
  await mm2_main({ conf: "x" });
  // @ts-expect-error the result is of another method
  const other: Methods["withdraw"]["result"] = await node.rpc("version");
  console.log(amount, other);
}
