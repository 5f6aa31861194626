/** A real EVM network: Foundry's anvil, which `make peer` installs. Its accounts are unlocked: it signs and sends what it is asked to. */

import { spawn } from "node:child_process";
import path from "node:path";
import { createInterface } from "node:readline";
import { web } from "./support.js";

const program = path.resolve(web, "../native/evm/anvil/node_modules/@foundry-rs/anvil-linux-amd64/bin/anvil");

/** Accounts with 10,000 coins each. */
export const accounts = ["0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266", "0x70997970C51812dc3A010C7d01b50e0d17dc79C8", "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC"];

/**
 * @param {number} chain its id
 * @returns {Promise<{url: string, ask: (method: string, ...params: unknown[]) => Promise<any>, close: () => Promise<unknown>}>}
 */
export async function startAnvil(chain) {
  const network = spawn(program, ["--host", "127.0.0.1", "--port", "0", "--chain-id", String(chain)], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise((resolve, reject) => {
    network.on("exit", resolve);
    network.on("error", (error) => reject(new Error(`anvil cannot be started, run \`make peer\`: ${error.message}`)));
  });
  const listening = (async () => {
    for await (const line of createInterface(network.stdout)) {
      const [, host] = /^Listening on (127\.0\.0\.1:\d+)/.exec(line) ?? [];
      if (host) {
        return host;
      }
    }
  })();
  const host = await Promise.race([listening, ended]);
  if (typeof host !== "string") {
    throw new Error("anvil ended before it listened");
  }
  network.stdout.resume();
  const url = `http://${host}`;
  return {
    url,
    async ask(method, ...params) {
      const answer = await fetch(url, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }) });
      const { result, error } = await answer.json();
      if (error) {
        throw new Error(`${method}: ${error.message}`);
      }
      return result;
    },
    close() {
      network.kill();
      return ended;
    },
  };
}
