/** upstream-browser.js under the module name of Komodo DeFi Framework, bundled into one file that its clients copy next to their page. */

export * from "./upstream-browser.js";
export { default } from "./upstream-browser.js";
