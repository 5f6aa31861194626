/**
 * Errors of this package. Each has a `kind` for programs and a message for people.
 */

/** What went wrong on the way to a node, or in running one. */
export class NodeError extends Error {
  /**
   * @param {string} kind
   * @param {string} message
   * @param {unknown} [data]
   */
  constructor(kind, message, data) {
    super(message);
    this.name = "NodeError";
    /** Such as ConfigError, StoreError, NotRunning, OwnerGone, ConfigMismatch, Unreachable. */
    this.kind = kind;
    /** More about it, depending on the kind. */
    this.data = data;
  }
}

/**
 * @typedef {import("../mmrpc.d.ts").ErrorKind} ErrorKind
 * @typedef {ErrorKind["error_type"]} KindName
 */

/**
 * The data of an error of a kind.
 * @template {KindName} K
 * @typedef {Extract<ErrorKind, {error_type: K}>["error_data"]} ErrorData
 */

/** A method of the node API (`rpc`) answered with an error. */
export class RpcError extends NodeError {
  /**
   * @param {number} status
   * @param {{error?: unknown, error_type?: unknown, error_data?: unknown, error_path?: unknown, error_trace?: unknown}} answer
   */
  constructor(status, answer) {
    super(String(answer.error_type ?? "Refused"), String(answer.error ?? "the node refused the request"), answer.error_data);
    this.name = "RpcError";
    /** The HTTP status, also where there is no HTTP. */
    this.status = status;
    /** Where in the node it arose; never has a caller's data in it. */
    this.path = String(answer.error_path ?? "");
    this.trace = String(answer.error_trace ?? "");
  }

  /**
   * Reports whether the error is of a kind, which determines the type of data.
   * @template {KindName} K
   * @param {K} kind
   * @returns {this is RpcError & {kind: K, data: ErrorData<K>}}
   */
  is(kind) {
    return this.kind === kind;
  }
}

/** A method of the daemon API (`daemon`) answered with an error. */
export class DaemonError extends NodeError {
  /**
   * @param {number} status
   * @param {{code?: unknown, message?: unknown} | null} error
   */
  constructor(status, error) {
    super("DaemonError", String(error?.message ?? `the daemon answered with status ${status}`));
    this.name = "DaemonError";
    this.status = status;
    /** komodod's number of the error. */
    this.code = Number(error?.code ?? 0);
  }
}

/**
 * An error as it crosses between threads: structured clones lose its class.
 * @typedef {{kind: string, message: string, data?: unknown}} SentError
 */

/**
 * @param {unknown} error
 * @returns {SentError}
 */
export function packError(error) {
  if (!(error instanceof Error)) {
    return { kind: "Internal", message: String(error) };
  }
  const { kind, data } = /** @type {{kind?: unknown, data?: unknown}} */ (error);
  const sent = { kind: typeof kind === "string" && kind !== "" ? kind : "Internal", message: error.message };
  return data === undefined ? sent : { ...sent, data };
}

/**
 * @param {SentError} sent
 * @returns {NodeError}
 */
export const unpackError = ({ kind, message, data }) => new NodeError(kind, message, data);
