/** The native node, for tests that connect to it. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createServer } from "node:net";
import path from "node:path";
import readline from "node:readline";
import { folder, owner, web } from "../../test/support.js";

export const secrets = { passphrase: owner.passphrase, publicKey: owner.publicKey, rpc: "Nat-1ve-rpc-word", daemon: "Nat-1ve-daemon-word" };

/**
 * Returns a free port outside the range that the system assigns, so that it is still free after a node
 * was restarted. Systems assign ports from 32768 on, also to outgoing connections.
 * @returns {Promise<number>}
 */
async function quietPort() {
  for (;;) {
    const port = 20000 + Math.floor(Math.random() * 12000);
    const server = createServer();
    const free = await new Promise((resolve) => server.once("error", () => resolve(false)).listen(port, "127.0.0.1", () => resolve(true)));
    if (free) {
      await new Promise((resolve) => server.close(resolve));
      return port;
    }
  }
}

/**
 * Starts a native node that accepts calls from pages of an origin.
 * @param {import("node:test").TestContext} t
 * @param {string} origin
 * @param {string[]} [more] additional settings
 * @param {string} [datadir] a folder whose owner stops the node; by default a new one
 */
export async function nativeNode(t, origin, more = [], datadir = "") {
  const home = datadir || folder(t, () => stop());
  const program = spawn(path.join(web, "../bin/obverse"), ["serve", "--datadir", home, "daemon.rpcport=0", ...(more.some((word) => word.startsWith("rpcport=")) ? [] : [`rpcport=${await quietPort()}`]), `rpccors=${origin}`, ...more], {
    env: { ...process.env, OBVERSE_PASSPHRASE: secrets.passphrase, OBVERSE_RPC_PASSWORD: secrets.rpc, OBVERSE_DAEMON_RPCPASSWORD: secrets.daemon },
    stdio: ["ignore", "pipe", "ignore"],
  });
  const ended = new Promise((resolve) => program.on("exit", resolve));
  const stop = () => {
    program.kill();
    return ended;
  };
  const first = readline.createInterface(program.stdout)[Symbol.asyncIterator]().next();
  const { value } = await Promise.race([first, ended.then(() => assert.fail("the native node did not start"))]);
  const { node, daemon } = JSON.parse(value);
  return { node, daemon, stop };
}

/**
 * Reports whether a console message is about calls to a node that is stopping or has stopped: it
 * responds with 503 while it finishes pending calls, closes its connections, and then closes the
 * port.
 * @param {string} line the console message
 */
export const isOfEnd = (line) => /status of 503|ERR_CONNECTION_(REFUSED|RESET|CLOSED|ABORTED)|ERR_SOCKET_NOT_CONNECTED|ERR_EMPTY_RESPONSE|ERR_INCOMPLETE_CHUNKED/.test(line);

/**
 * Connects a page to a native node in its first run.
 * @param {import("playwright-core").Page} page
 * @param {{node: string, daemon: string}} native
 * @param {boolean} [tokens] whether the page also gets the password of the daemon API
 */
export async function connectTo(page, native, tokens = true) {
  const text = (label) => page.getByRole("textbox", { name: label, exact: true });
  await page.getByRole("button", { name: /^Connect to a node/ }).click();
  await text("Address of the node").fill(native.node);
  await text("rpc_password").fill(secrets.rpc);
  if (tokens) {
    await page.getByText("Tokens (daemon API)").click();
    await text("Address of the daemon API").fill(native.daemon);
    await text("rpcpassword").fill(secrets.daemon);
  }
  await page.getByRole("button", { name: "Connect", exact: true }).click();
  await page.locator(".status").filter({ hasText: "Native node" }).waitFor();
}
