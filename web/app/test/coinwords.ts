/** The modules that words errors of coins, with the class of those errors as they know it. */
export * from "../src/coins/reasons.ts";
export * from "../src/coins/sendfaults.ts";
export { RpcError } from "obverse";
