/** The errors of this package. Each has a `kind` for programs and a message for users. */

/** The error of a node that cannot be reached, started or used. */
export class NodeError extends Error {
  /**
   * @param {string} kind
   * @param {string} message
   * @param {unknown} [data]
   */
  constructor(kind, message, data) {
    super(message);
    this.name = "NodeError";
    /** The kind of error, such as ConfigError, StoreError, NotRunning, OwnerGone, ConfigMismatch or Unreachable. */
    this.kind = kind;
    /** Additional data, depending on the kind. */
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

/** An error of a method of the node API (`rpc`). */
export class RpcError extends NodeError {
  /**
   * @param {number} status
   * @param {{error?: unknown, error_type?: unknown, error_data?: unknown, error_path?: unknown, error_trace?: unknown}} answer
   */
  constructor(status, answer) {
    super(String(answer.error_type ?? "Refused"), String(answer.error ?? "the node refused the request"), answer.error_data);
    this.name = "RpcError";
    /** The HTTP status, even if the node was not called over HTTP. */
    this.status = status;
    /** The location in the node where the error occurred. It never contains a caller's data. */
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

/** An error of a method of the daemon API (`daemon`). */
export class DaemonError extends NodeError {
  /**
   * @param {number} status
   * @param {{code?: unknown, message?: unknown} | null} error
   */
  constructor(status, error) {
    super("DaemonError", String(error?.message ?? `the daemon answered with status ${status}`));
    this.name = "DaemonError";
    this.status = status;
    /** The error code of komodod. */
    this.code = Number(error?.code ?? 0);
  }
}

/**
 * An error in the form in which it is sent between threads. A structured clone does not preserve
 * its class.
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
