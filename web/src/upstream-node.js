/** The functions of Komodo DeFi Framework's wasm for Node; see upstream.js. */

import { init as start } from "./index-node.js";
import { makeUpstream } from "./upstream.js";

export { LogLevel, MainStatus, Mm2RpcErr, Mm2StopErr, StartupError, StartupResultCode } from "./upstream.js";

const { init, ...functions } = makeUpstream(start);

export default init;
export const { mm2_main, mm2_main_status, mm2_rpc, mm2_version, mm2_stop } = functions;
