// A page that was written for Komodo DeFi Framework's wasm, after its example
// (mm2_bin_lib/wasm_build/script.js). Only the path of the import differs.
import init, { LogLevel, MainStatus, mm2_main, mm2_main_status, mm2_rpc, mm2_stop, mm2_version, Mm2RpcErr, Mm2StopErr, StartupResultCode } from "/dist/kdflib.js";

const at = (id) => document.getElementById(id);
const show = (text) => (at("answer").textContent = text);

globalThis.log = [];
function handle_log(level, line) {
  globalThis.log.push({ level, line });
  switch (level) {
    case LogLevel.Error:
      console.error(line);
      break;
    case LogLevel.Warn:
      console.warn(line);
      break;
    default:
      break;
  }
}

async function run_mm2(conf) {
  const { result } = mm2_version();
  try {
    const code = await mm2_main({ conf, log_level: LogLevel.Info }, handle_log);
    show(`started ${result !== ""} ${code === StartupResultCode.Ok}`);
  } catch (e) {
    switch (e.code) {
      case StartupResultCode.AlreadyRunning:
        show("already running");
        break;
      case StartupResultCode.InvalidParams:
        show("invalid params");
        break;
      case StartupResultCode.ConfigError:
        show(`config: ${e.message}`);
        break;
      case StartupResultCode.InitError:
        show(`init: ${e.message}`);
        break;
      default:
        show(`Oops: ${e}`);
        break;
    }
  }
}

async function rpc_request(request) {
  try {
    show(JSON.stringify(await mm2_rpc(request)));
  } catch (e) {
    switch (e) {
      case Mm2RpcErr.NotRunning:
        show("not running");
        break;
      case Mm2RpcErr.InvalidPayload:
        show("invalid payload");
        break;
      default:
        show(`Unexpected error: ${e}`);
        break;
    }
  }
}

async function stop() {
  try {
    await mm2_stop();
    show("stopped");
  } catch (e) {
    show(e === Mm2StopErr.NotRunning ? "not running" : `Unexpected error: ${e}`);
  }
}

const once = (does) => async () => {
  show("");
  try {
    await does();
  } catch (e) {
    show(String(e));
  }
};
at("run").addEventListener("click", once(() => run_mm2(JSON.parse(at("conf").value))));
at("send").addEventListener("click", once(() => rpc_request(JSON.parse(at("request").value))));
at("stop").addEventListener("click", once(stop));

// Events are received through the page's shared worker.
globalThis.events = [];
const streams = new SharedWorker("event_streaming_worker.js");
streams.port.onmessage = ({ data }) => globalThis.events.push(JSON.parse(data));

// Record the status of the node while it starts; the page's thread is not blocked.
globalThis.statuses = [];
setInterval(() => {
  const status = Object.keys(MainStatus).find((name) => MainStatus[name] === mm2_main_status());
  if (at("status").textContent !== status) {
    at("status").textContent = status;
    globalThis.statuses.push(status);
  }
}, 50);
await init("/dist/obverse.wasm");
at("status").dataset.ready = "yes";
