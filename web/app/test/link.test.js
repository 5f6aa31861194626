/** The link that a native node prints at a terminal connects a page to it. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import path from "node:path";
import readline from "node:readline";
import { test } from "node:test";
import { newContext } from "../../test/contexts.js";
import { web } from "../../test/support.js";
import { folder } from "./support.js";

const secrets = { OBVERSE_PASSPHRASE: "a native node prints a link", OBVERSE_RPC_PASSWORD: "L1nk-page-word", OBVERSE_DAEMON_RPCPASSWORD: "L1nk-daemon-word" };

/** Starts the program at a terminal of its own, and gives the link that this shows. */
async function start(t) {
  let pid = 0;
  const datadir = folder(t, async () => {
    pid && process.kill(pid);
    await ended;
  });
  const command = `'${path.join(web, "../bin/obverse")}' serve --datadir '${datadir}' rpcport=0 daemon.rpcport=0`;
  const program = spawn("script", ["-qfec", command, "/dev/null"], { env: { ...process.env, ...secrets }, stdio: ["pipe", "pipe", "inherit"] });
  const ended = new Promise((resolve) => program.on("exit", resolve));
  const lines = [];
  for await (const line of readline.createInterface(program.stdout)) {
    lines.push(line);
    pid = /^\{"event":"ready".*"pid":(\d+)\}/.test(line) ? JSON.parse(line).pid : pid;
    const link = lines.map((one) => /^wallet page: (\S+#link=\S+)/.exec(one)?.[1]).find(Boolean);
    if (pid && link) {
      return link;
    }
  }
  assert.fail(`the node did not start: ${lines.join("\n")}`);
}

test("a one-time link connects the page to both interfaces of the node, once", { timeout: 120000 }, async (t) => {
  const link = await start(t);
  const token = link.split("#link=")[1];
  const context = await newContext(t);
  const asked = [];
  context.on("request", (request) => asked.push({ url: request.url(), referer: request.headers().referer ?? "", body: request.postData() ?? "" }));
  const page = await context.newPage();
  await page.goto(link);
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.waitForFunction(() => document.body.textContent.includes("Lock"));
  assert.equal(new URL(page.url()).hash.includes("link"), false);
  assert(asked.some(({ url }) => new URL(url).pathname === "/daemon"), "interface A is on the same port");
  for (const { url, referer, body } of asked) {
    const exchange = new URL(url).pathname === "/link";
    assert.equal(url.includes(token) || referer.includes(token), false, url);
    assert.equal(body.includes(token), exchange, url);
    assert.equal(new URL(url).origin, new URL(link).origin);
  }

  const other = await (await newContext(t)).newPage();
  await other.goto(link);
  await other.getByRole("alert").filter({ hasText: "this link was used already" }).waitFor();
  assert.equal(other.url().includes(token), false);
});
