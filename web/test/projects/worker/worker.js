import { init } from "/node_modules/obverse/dist/local.js";
import { config } from "/config.js";

try {
  const node = await init({ config });
  const { public_key } = await node.rpc("get_public_key");
  const { hex } = await node.daemon("tokencreate", "WORKER", "1");
  postMessage([public_key, await node.daemon("getblockcount"), (await node.daemon("decoderawtransaction", hex)).txid.length, node.status().storage]);
} catch (error) {
  postMessage(String(error));
}
