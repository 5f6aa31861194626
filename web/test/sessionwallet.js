/**
 * A wallet with WalletConnect, and the relay: native/test/walletconnect/npmpeer, which uses the official sign client.
 * Its npm packages are installed by `make peer`.
 *
 *   const wallet = await sessionWallet(t);
 *   await wallet.do("pair", { uri });
 *   const { id } = await wallet.receive("session_proposal");
 */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import readline from "node:readline";
import { web } from "./support.js";

const peer = path.join(web, "../native/test/walletconnect/npmpeer");

/** @param {import("node:test").TestContext} t */
export async function sessionWallet(t) {
  assert(existsSync(path.join(peer, "node_modules")), "the npm packages of WalletConnect's peer are missing: run `make peer`");
  const started = spawn(process.execPath, ["peer.mjs"], { cwd: peer, stdio: ["pipe", "pipe", "inherit"] });
  const ended = new Promise((resolve) => started.on("exit", resolve));
  t.after(() => {
    started.stdin.end();
    return ended;
  });
  /** @type {{event: string, data: any}[]} */
  const events = [];
  /** @type {(() => void)[]} */
  let waiting = [];
  const next = () => new Promise((resolve) => waiting.push(() => resolve(undefined)));
  let ports = { relay: 0, control: 0 };
  readline.createInterface(started.stdout).on("line", (line) => {
    const said = JSON.parse(line);
    said.relay ? (ports = said) : events.push(said);
    waiting.splice(0).forEach((go) => go());
  });
  while (ports.control === 0) {
    await Promise.race([next(), ended.then(() => assert.fail("WalletConnect's peer ended"))]);
  }
  return {
    relay: `ws://127.0.0.1:${ports.relay}`,
    /** Makes the wallet perform an operation; see peer.mjs. */
    do: async (name, parameters = {}) => {
      const answer = await fetch(`http://127.0.0.1:${ports.control}`, { method: "POST", body: JSON.stringify({ do: name, ...parameters }) });
      const { result, error } = await answer.json();
      assert(!error, `${name}: ${JSON.stringify(error)}`);
      return result;
    },
    /** Waits for the next event with a name. */
    receive: async (name) => {
      for (;;) {
        const at = events.findIndex(({ event }) => event === name);
        if (at >= 0) {
          return events.splice(at, 1)[0].data;
        }
        await next();
      }
    },
  };
}
