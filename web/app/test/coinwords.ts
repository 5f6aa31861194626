/** Exports the module that explains the errors of coins, together with the error classes that it uses. */
export * from "../src/coins/reasons.ts";
export * from "../src/coins/sendfaults.ts";
export { RpcError } from "obverse";
