/** Exports the outbox, together with the connection and the error classes that it uses. */
export * from "../src/coins/outbox.ts";
export { connection } from "../src/node.ts";
export { RpcError } from "obverse";
