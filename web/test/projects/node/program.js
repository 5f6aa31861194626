import { init } from "obverse";
import { connect } from "obverse/http";
import { mm2_main_status } from "obverse/upstream";
import { config } from "./config.js";

const node = await init({ config });
const { public_key } = await node.rpc("get_public_key");
const { hex } = await node.daemon("tokencreate", "NODE", "1");
console.log(JSON.stringify([public_key, await node.daemon("getblockcount"), (await node.daemon("decoderawtransaction", hex)).txid.length, node.status().storage]));
console.log(typeof connect, mm2_main_status());
await node.stop();
