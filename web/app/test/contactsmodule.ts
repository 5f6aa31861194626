/** The address book, with the connection as it knows it. */
export * from "../src/coins/contacts.ts";
export { connection } from "../src/node.ts";
