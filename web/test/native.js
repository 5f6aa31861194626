/** The native node, for tests that compare it with a page's node. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import readline from "node:readline";
import { connect } from "obverse";
import { folder, owner, web } from "./support.js";

export const password = "Http-s3cret-word";

/**
 * Starts the native node with the chain of the other tests and returns a client of it.
 * @param {import("node:test").TestContext} t
 * @param {string} [passphrase] if "", the passphrase of the config
 * @param {Record<string, unknown>} [config] additional keys
 */
export async function serveNative(t, passphrase = owner.passphrase, config = {}) {
  const datadir = folder(t, () => end());
  writeFileSync(path.join(datadir, "obverse.json"), JSON.stringify(config), { mode: 0o600 });
  const program = spawn(path.join(web, "../bin/obverse"), ["serve", "--datadir", datadir, "rpcport=0", "daemon.rpcport=0", "chain.ac_name=PAGE", "chain.ac_supply=1000", "chain.ac_reward=100000000", "chain.ac_cc=2"], {
    env: { ...process.env, ...(passphrase && { OBVERSE_PASSPHRASE: passphrase }), OBVERSE_RPC_PASSWORD: password, OBVERSE_DAEMON_RPCPASSWORD: password },
    stdio: ["ignore", "pipe", "ignore"],
  });
  const ended = new Promise((resolve) => program.on("exit", resolve));
  const end = () => {
    program.kill();
    return ended;
  };
  const [line] = await Promise.race([readline.createInterface(program.stdout)[Symbol.asyncIterator]().next().then(({ value }) => [value]), ended.then(() => assert.fail("the native node did not start"))]);
  const { node, daemon } = JSON.parse(line);
  const client = connect({ url: node, userpass: password, daemon: { url: daemon, user: "obverse", password } });
  t.after(() => client.stop());
  return Object.assign(client, { url: node });
}
