/** The one-time link that a native node prints at a terminal connects a page to the node. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import path from "node:path";
import readline from "node:readline";
import { test } from "node:test";
import { newContext } from "../../test/contexts.js";
import { web } from "../../test/support.js";
import { checkAccess, checkWidth, folder, isOpen, sizes, until } from "./support.js";

const secrets = { OBVERSE_PASSPHRASE: "a native node prints a link", OBVERSE_RPC_PASSWORD: "L1nk-page-word", OBVERSE_DAEMON_RPCPASSWORD: "L1nk-daemon-word" };

/** Starts the program in a separate terminal and returns the link that it prints. */
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
  assert(asked.some(({ url }) => new URL(url).pathname === "/daemon"), "the daemon API is on the same port");
  for (const { url, referer, body } of asked) {
    const exchange = new URL(url).pathname === "/link";
    assert.equal(url.includes(token) || referer.includes(token), false, url);
    assert.equal(body.includes(token), exchange, url);
    assert.equal(new URL(url).origin, new URL(link).origin);
  }

  const other = await (await newContext(t)).newPage();
  await other.goto(link);
  const alert = other.getByRole("alert").filter({ hasText: "This link no longer works." });
  await alert.getByText("make run").waitFor();
  assert.equal(other.url().includes(token), false);
  await checkAccess(other);
  await other.setViewportSize(sizes.phone);
  await checkWidth(other);
  await alert.getByRole("button", { name: "Enter the password instead" }).click();
  await alert.waitFor({ state: "hidden" });
  await until(async () => (await other.getByRole("textbox", { name: "Address of the node" }).inputValue()) === new URL("/", link).href, "the node that serves the page is suggested");
  await other.getByRole("textbox", { name: "rpc_password" }).fill(secrets.OBVERSE_RPC_PASSWORD);
  await other.getByRole("button", { name: "Connect", exact: true }).click();
  await isOpen(other);

  const wrong = new URL("#link=wrong", link).href;
  const third = await (await newContext(t)).newPage();
  await third.goto(new URL("?de", link).href);
  await third.evaluate(() => (localStorage["obverse.language"] = "de"));
  await third.goto(wrong);
  await third.getByRole("alert").getByText("Dieser Link funktioniert nicht mehr.").waitFor();
  await third.route("**/link", (route) => route.fulfill({ status: 429, json: { error: "too many wrong links, try again in a minute" } }));
  await third.goto("about:blank");
  await third.goto(wrong);
  await third.getByRole("alert").getByText("Zu viele falsche Links.").waitFor();
  await third.route("**/link", (route) => route.abort());
  await third.goto("about:blank");
  await third.goto(wrong);
  await third.getByRole("alert").getByText("Verbindung zur Node fehlgeschlagen.").waitFor();
});
