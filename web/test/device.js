/**
 * A hardware wallet in a page's navigator.hid: the emulated Ledger of native/test/emulator, which receives and sends
 * reports of 64 bytes as over WebHID.
 *
 *   const device = await hardwareWallet(t, context);   // before the context's pages are opened
 *   device.do("app", "Ethereum");
 */

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import readline from "node:readline";
import { web } from "./support.js";

/** The emulator, which is built once. @type {string | undefined} */
let built;

function program() {
  if (!built) {
    const folder = mkdtempSync(path.join(tmpdir(), "obverse-emulator-"));
    process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
    built = path.join(folder, "emulator");
    execFileSync("go", ["build", "-o", built, "./native/test/emulator"], { cwd: path.join(web, ".."), stdio: ["ignore", "ignore", "inherit"] });
  }
  return built;
}

/** Injects a HID with one device, which is chosen by the first requestDevice. */
function inject() {
  const listeners = { inputreport: new Set(), disconnect: new Set() };
  let [allowed, plugged] = [false, true];
  const device = {
    vendorId: 0x2c97,
    productId: 0x4011,
    productName: "Nano X",
    opened: false,
    collections: [{ usagePage: 0xffa0 }],
    open: async () => void (device.opened = true),
    close: async () => void (device.opened = false),
    sendReport: async (id, data) => {
      if (!plugged) {
        throw new DOMException("The device was disconnected.", "NetworkError");
      }
      await globalThis.hidWrite(id, [...data]);
    },
    addEventListener: (type, listener) => listeners[type].add(listener),
    removeEventListener: (type, listener) => listeners[type].delete(listener),
  };
  const hid = {
    getDevices: async () => (allowed && plugged ? [device] : []),
    requestDevice: async ({ filters }) => {
      if (!navigator.userActivation.isActive) {
        throw new DOMException("Must be handling a user gesture to show a permission request.", "SecurityError");
      }
      allowed = globalThis.hidChooses !== false && plugged && filters.some(({ vendorId }) => vendorId === device.vendorId);
      return allowed ? [device] : [];
    },
    addEventListener: (type, listener) => listeners[type].add(listener),
  };
  Object.defineProperty(navigator, "hid", { value: hid });
  globalThis.hidRead = (bytes) => listeners.inputreport.forEach((listener) => listener({ data: new DataView(Uint8Array.from(bytes).buffer) }));
  globalThis.hidPlug = (on) => {
    plugged = on;
    on || listeners.disconnect.forEach((listener) => listener({ device }));
  };
}

/**
 * @param {import("node:test").TestContext} t
 * @param {import("playwright-core").BrowserContext} context
 */
export async function hardwareWallet(t, context) {
  const started = spawn(program(), { stdio: ["pipe", "pipe", "inherit"] });
  const ended = new Promise((resolve) => started.on("exit", resolve));
  t.after(() => {
    started.stdin.end();
    return ended;
  });
  const say = (line) => started.stdin.write(`${JSON.stringify(line)}\n`);
  /** @type {string[][]} */
  const shown = [];
  /** @type {import("playwright-core").Page | undefined} */
  let user;
  readline.createInterface(started.stdout).on("line", (line) => {
    const { report, shown: screen } = JSON.parse(line);
    screen && shown.push(screen);
    report && user?.evaluate((bytes) => globalThis.hidRead(bytes), [...Buffer.from(report, "hex")]).catch(() => {}); // the page may be closed
  });
  await context.exposeBinding("hidWrite", ({ page }, id, bytes) => {
    assert.equal(id, 0);
    assert.equal(bytes.length, 64);
    user = page;
    say({ report: Buffer.from(bytes).toString("hex") });
  });
  await context.addInitScript(inject);
  return { shown, do: (what, name) => say({ do: what, ...(name === undefined ? {} : { name }) }) };
}
