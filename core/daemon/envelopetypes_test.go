package daemon_test

const envelopeTypes = `
/** A request. */
export interface DaemonRequest<M extends keyof DaemonMethods = keyof DaemonMethods> {
  jsonrpc?: string;
  /** Anything, repeated in the answer. */
  id?: unknown;
  method: M;
  params?: DaemonMethods[M]["params"];
}

/** What token methods answer to a request that cannot be met. */
export interface DaemonRefusal {
  result: "error";
  /** For people. */
  error: string;
}

/** The answer to a request that went well, or was refused. */
export interface DaemonSuccess<M extends keyof DaemonMethods = keyof DaemonMethods> {
  result: DaemonMethods[M]["result"] | DaemonRefusal;
  error: null;
  id: unknown;
}

/** The answer to a request that did not. */
export interface DaemonFailure {
  result: null;
  error: { code: number; message: string };
  id: unknown;
}

/** Any answer to a request of a method. */
export type DaemonResponse<M extends keyof DaemonMethods = keyof DaemonMethods> = DaemonSuccess<M> | DaemonFailure;
`
