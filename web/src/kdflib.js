/**
 * Exports upstream-browser.js under the module name of Komodo DeFi Framework. It is bundled into one file, which clients copy next to
 * their page.
 */

export * from "./upstream-browser.js";
export { default } from "./upstream-browser.js";
