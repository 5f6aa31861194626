/** A node at the edge in workerd, for tests. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import path from "node:path";
import readline from "node:readline";
import { folder, web } from "./support.js";

/**
 * Starts workerd and returns its URL and its standard error output.
 * @param {{after: (end: () => unknown) => void}} t
 * @param {...string} page page the folder of the wallet page; if absent, the page is not served
 */
export async function serveEdge(t, ...page) {
  const data = folder(t, () => stop());
  const workerd = path.join(web, "../native/test/worker/workerd/host.js");
  const host = spawn(process.execPath, [workerd, data, ...page], { stdio: ["pipe", "pipe", "pipe"] });
  let printed = "";
  host.stderr.setEncoding("utf8").on("data", (text) => {
    printed += text;
    process.stderr.write(text);
  });
  const ended = new Promise((resolve) => host.on("exit", resolve));
  const stop = () => {
    host.stdin.end();
    return ended;
  };
  const first = readline.createInterface(host.stdout)[Symbol.asyncIterator]().next();
  const { value } = await Promise.race([first, ended.then(() => assert.fail("workerd did not start: make peer and make worker build what it needs"))]);
  const { url } = JSON.parse(value);
  return { url, printed: () => printed };
}

/**
 * Configures a node before its first call.
 * @param {string} url the URL of the edge
 * @param {string} name
 * @param {object} config
 */
export async function configure(url, name, config) {
  const answer = await fetch(`${url}/n/${name}/__settings`, { method: "POST", body: JSON.stringify({ CONFIG: JSON.stringify(config) }) });
  assert.equal(answer.status, 200);
}
