/** Announces a provider to the page by EIP-6963. */

/**
 * @typedef {object} Info
 * @property {string} uuid
 * @property {string} name
 * @property {string} icon a data: URL of a square image
 * @property {string} rdns
 */

const ICON = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Ccircle cx='16' cy='16' r='13' fill='%230b5cad'/%3E%3Cpath d='M16 3a13 13 0 0 1 0 26z' fill='%237db8ff'/%3E%3C/svg%3E";

/** Returns the wallet's host as a reverse domain name. @param {URL} url */
const reversed = ({ hostname }) => (/^[\d.]+$|:|^localhost$/.test(hostname) ? "localhost.obverse" : hostname.split(".").reverse().join("."));

/**
 * @param {object} provider
 * @param {URL} url the URL of the wallet page
 * @param {Partial<Info>} info
 * @returns {() => void} a function that stops the announcements
 */
export function announce(provider, url, info) {
  const detail = Object.freeze({ info: Object.freeze({ uuid: crypto.randomUUID(), name: "Obverse", icon: ICON, rdns: reversed(url), ...info }), provider });
  const say = () => void dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail }));
  addEventListener("eip6963:requestProvider", say);
  say();
  return () => removeEventListener("eip6963:requestProvider", say);
}
