/** The native node, for tests that connect to one. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import path from "node:path";
import readline from "node:readline";
import { folder, owner, web } from "../../test/support.js";

export const secrets = { passphrase: owner.passphrase, publicKey: owner.publicKey, rpc: "Nat-1ve-rpc-word", daemon: "Nat-1ve-daemon-word" };

/**
 * Starts a native node that pages of an origin may call.
 * @param {import("node:test").TestContext} t
 * @param {string} origin
 * @param {string[]} [more] settings
 */
export async function nativeNode(t, origin, more = []) {
  const datadir = folder(t, () => stop());
  const program = spawn(path.join(web, "../bin/obverse"), ["serve", "--datadir", datadir, "daemon.rpcport=0", ...(more.some((word) => word.startsWith("rpcport=")) ? [] : ["rpcport=0"]), `rpccors=${origin}`, ...more], {
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
