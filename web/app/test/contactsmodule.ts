/** Exports the address book, together with the connection that it uses. */
export * from "../src/coins/contacts.ts";
export { connection } from "../src/node.ts";
