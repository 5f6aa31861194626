/** upstream-browser.js under the name of Komodo DeFi Framework's module, and in one file: its clients copy that beside their page. */

export * from "./upstream-browser.js";
export { default } from "./upstream-browser.js";
