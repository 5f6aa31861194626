/**
 * Implements the functions of Komodo DeFi Framework's wasm, with the same names, result codes and
 * errors, for pages that were written for it.
 *
 * Source: mm2_bin_lib/src/mm2_wasm_lib.rs, mm2_bin_lib/src/lib.rs.
 */

import { NodeError } from "./errors.js";
import { built, version } from "./version.js";

/** The codes of mm2_main's errors, in StartupError.code. */
export const StartupResultCode = Object.freeze({ Ok: 0, InvalidParams: 1, ConfigError: 2, AlreadyRunning: 3, InitError: 4, SpawnError: 5 });
/** The return values of mm2_main_status. */
export const MainStatus = Object.freeze({ NotRunning: 0, NoContext: 1, NoRpc: 2, RpcIsUp: 3 });
/** The error codes of mm2_rpc. */
export const Mm2RpcErr = Object.freeze({ NotRunning: 1, InvalidPayload: 2, InternalError: 3 });
/** The error codes of mm2_stop. */
export const Mm2StopErr = Object.freeze({ NotRunning: 1, ErrorStopping: 2, StoppingAlready: 3 });
/** The levels of log lines. */
export const LogLevel = Object.freeze({ Off: 0, Error: 1, Warn: 2, Info: 3, Debug: 4, Trace: 5 });

/** The error of mm2_main. */
export class StartupError {
  /**
   * @param {number} code
   * @param {string} message
   */
  constructor(code, message) {
    this.code = code;
    this.message = message;
  }
}

/** @type {Record<string, number>} */
const levels = { error: LogLevel.Error, warn: LogLevel.Warn, info: LogLevel.Info, debug: LogLevel.Debug };
const levelNames = ["error", "error", "warn", "info", "debug", "debug"];

/**
 * Returns the functions for an init function.
 * @param {(options: import("./init.js").InitOptions) => Promise<import("./handle.js").Handle>} start
 */
export function makeUpstream(start) {
  /** @type {import("./handle.js").Handle | null} */
  let node = null;
  let status = 0;
  let stopping = false;
  /** @type {Partial<import("./init.js").InitOptions>} */
  let program = {};

  const isRunning = () => node !== null && node.status().running;

  /**
   * Sets the source of the program. It is the default export of the upstream package. Calling it is optional.
   * @param {any} [source] the argument of wasm-bindgen's init: a URL, a Response, bytes, a module, or an object with module_or_path
   */
  async function init(source) {
    const given = await (source?.module_or_path ?? source);
    if (given instanceof WebAssembly.Module) {
      program = { module: given };
    } else if (given !== undefined) {
      program = { wasmUrl: given };
    }
  }

  /**
   * Starts the node.
   * @param {{conf: Record<string, unknown>, log_level?: number, wallets?: import("./wallet/provider.js").WalletOptions}} params wallets: as
   *   in init
   * @param {(level: number, line: string) => void} [log_cb]
   * @returns {Promise<number>} 0; rejects with a StartupError
   */
  async function mm2_main(params, log_cb) {
    const { conf, log_level = LogLevel.Info, wallets } = params ?? {};
    if (conf === null || typeof conf !== "object" || Array.isArray(conf) || !Number.isInteger(log_level) || log_level < 0 || log_level > 5) {
      throw new StartupError(StartupResultCode.InvalidParams, "Expected {conf: object, log_level: 0 to 5}");
    }
    if (status !== MainStatus.NotRunning && (status !== MainStatus.RpcIsUp || isRunning())) {
      throw new StartupError(StartupResultCode.AlreadyRunning, "MM2 is already running");
    }
    status = MainStatus.NoContext;
    try {
      node = await start({
        ...program,
        config: { log_level: levelNames[log_level], ...conf },
        wallets,
        opening: () => (status = MainStatus.NoRpc),
        log: (level, line) => levels[level] <= log_level && log_cb?.(levels[level], line),
      });
    } catch (error) {
      status = MainStatus.NotRunning;
      const { kind, message } = /** @type {NodeError} */ (error);
      throw new StartupError(startupCode(kind), message);
    }
    status = MainStatus.RpcIsUp;
    sendEvents(node, conf);
    return StartupResultCode.Ok;
  }

  /** @returns {number} a MainStatus */
  function mm2_main_status() {
    return status === MainStatus.RpcIsUp && !isRunning() ? MainStatus.NotRunning : status;
  }

  /**
   * Sends a request or a batch of requests. An error of a method is returned as a response.
   * @param {any} payload
   * @returns {Promise<any>} the response object; rejects with an Mm2RpcErr
   */
  async function mm2_rpc(payload) {
    if (!isRunning() || !node) {
      throw Mm2RpcErr.NotRunning;
    }
    const { client } = node;
    let body;
    try {
      body = JSON.stringify(Array.isArray(payload) ? payload.map((one) => withClient(one, client)) : withClient(payload, client));
    } catch {
      throw Mm2RpcErr.InvalidPayload;
    }
    if (payload === null || typeof payload !== "object" || body === undefined) {
      throw Mm2RpcErr.InvalidPayload;
    }
    try {
      return JSON.parse((await node.raw.rpc(body)).body);
    } catch {
      throw Mm2RpcErr.InternalError;
    }
  }

  /** @returns {{result: string, datetime: string}} */
  const mm2_version = () => ({ result: version, datetime: built });

  /** @returns {Promise<void>} rejects with an Mm2StopErr */
  async function mm2_stop() {
    if (stopping) {
      throw Mm2StopErr.StoppingAlready;
    }
    if (!isRunning() || !node) {
      throw Mm2StopErr.NotRunning;
    }
    stopping = true;
    try {
      await node.stop();
    } catch {
      throw Mm2StopErr.ErrorStopping;
    } finally {
      stopping = false;
      status = MainStatus.NotRunning;
      node = null;
    }
  }

  return { init, mm2_main, mm2_main_status, mm2_rpc, mm2_version, mm2_stop };
}

/** @param {string} kind */
function startupCode(kind) {
  switch (kind) {
    case "ConfigError":
      return StartupResultCode.ConfigError;
    case "AlreadyRunning":
    case "ConfigMismatch":
      return StartupResultCode.AlreadyRunning;
    case "WorkerFailed":
    case "WasmError":
      return StartupResultCode.SpawnError;
  }
  return StartupResultCode.InitError;
}

/**
 * Sets the id of the event client in a request. Komodo DeFi Framework has one client, with the id
 * 0, which is also the default of requests. Here each tab is a separate client.
 * @param {any} request
 * @param {number} client
 */
function withClient(request, client) {
  if (typeof request?.method !== "string" || !request.method.startsWith("stream::") || request.params?.client_id) {
    return request;
  }
  return { ...request, params: { ...request.params, client_id: client } };
}

/**
 * Forwards events to a shared worker of the page, if the config names one.
 * @param {import("./handle.js").Handle} node
 * @param {any} conf
 */
function sendEvents(node, conf) {
  const { event_streaming_configuration: events } = conf;
  if (!events || typeof SharedWorker === "undefined") {
    return;
  }
  const { port } = new SharedWorker(events.worker_path ?? "event_streaming_worker.js");
  port.start();
  node.subscribe("*", (event) => port.postMessage(JSON.stringify(event)));
}
