/** Hardware wallets in the form of a wallet provider. The transport, hid.js, is loaded when it is first used. */

/** @type {Promise<import("./hid.js").Devices> | undefined} */
let ofPage;

/**
 * @param {import("./hid.js").HID} [given]
 * @returns {Promise<import("./hid.js").Devices>}
 */
async function load(given) {
  const { Devices } = await import("./hid.js");
  return new Devices(given ?? /** @type {any} */ (globalThis.navigator)?.hid);
}

const inPage = () => (ofPage ??= load());

/**
 * Asks the user to choose a hardware wallet that this page may use from then on. It must be called
 * from a click handler.
 * @returns {Promise<boolean>} whether a device was chosen
 */
export const chooseDevice = async () => (await inPage()).choose();

/**
 * @param {import("./hid.js").HID} [given]
 * @returns {import("./provider.js").Provider}
 */
export function devices(given) {
  /** @type {Promise<import("./hid.js").Devices> | undefined} */
  let owned;
  const get = () => (given ? (owned ??= load(given)) : inPage());
  /** @param {"list" | "open" | "write" | "read" | "close"} name */
  const command = (name) => async (/** @type {unknown} */ params) => (await get()).do(name, params);
  return {
    kind: "hid",
    functions: { list: command("list"), open: command("open"), write: command("write"), read: command("read"), close: command("close") },
    watch: () => () => {},
  };
}
