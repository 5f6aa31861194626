/** The outbox, with the connection and the class of errors as it knows them. */
export * from "../src/coins/outbox.ts";
export { connection } from "../src/node.ts";
export { RpcError } from "obverse";
