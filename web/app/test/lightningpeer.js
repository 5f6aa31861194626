/** A Lightning node of another implementation, for tests to connect to: @node-dlc/noise, see native/lightning/npmpeer. */

import { spawn } from "node:child_process";
import { createServer } from "node:net";
import path from "node:path";
import readline from "node:readline";
import { web } from "../../test/support.js";

/** The id of the peer: the public key of its secret, 32 bytes of 0x21. */
export const PEER = "028d7500dd4c12685d1f568b4c2b5048e8534b873319f3a8daa612b469132ec7f7";

/** A public key without a known private key. */
export const UNUSED = "02c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5";

/**
 * Starts the peer. It is stopped by kill or at the end of the test.
 * @param {import("node:test").TestContext} t
 * @param {string[]} [options] see peer.mjs
 */
export async function lightningPeer(t, options = []) {
  const program = spawn("node", ["peer.mjs", ...options], { cwd: path.join(web, "../native/lightning/npmpeer"), stdio: ["pipe", "pipe", "inherit"] });
  const ended = new Promise((resolve) => program.on("exit", resolve));
  const kill = () => {
    program.kill("SIGKILL");
    return ended;
  };
  t.after(kill);
  const lines = readline.createInterface(program.stdout)[Symbol.asyncIterator]();
  /** Returns the next line with a field and skips the lines before it. */
  const next = async (field) => {
    for (;;) {
      const { value, done } = await lines.next();
      if (done) {
        throw new Error("the peer ended: `make peer` installs what it needs");
      }
      const line = JSON.parse(value);
      if (field in line) {
        return line[field];
      }
    }
  };
  const port = options.includes("--connect") ? 0 : await next("port");
  return { port, address: `${PEER}@127.0.0.1:${port}`, next, kill };
}

/**
 * Returns a port that accepts connections and sends nothing, and a port without a listener.
 * @param {import("node:test").TestContext} t
 */
export async function ports(t) {
  const listen = async () => {
    const server = createServer(() => {});
    await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
    return { server, port: /** @type {import("node:net").AddressInfo} */ (server.address()).port };
  };
  const [silent, dead] = [await listen(), await listen()];
  await new Promise((resolve) => dead.server.close(resolve));
  const open = new Set();
  silent.server.on("connection", (socket) => open.add(socket.on("error", () => {})));
  t.after(() => {
    open.forEach((socket) => socket.destroy());
    silent.server.close();
  });
  return { silent: silent.port, dead: dead.port };
}
