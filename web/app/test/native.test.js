import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createServer } from "node:http";
import path from "node:path";
import readline from "node:readline";
import { test as plain } from "node:test";
import { newContext } from "../../test/contexts.js";
import { web } from "../../test/support.js";
import { folder, isOpen, policy, restore, until, visit } from "./support.js";

const test = (name, does) => plain(name, { timeout: 400000 }, does);
const secrets = { passphrase: "a native node serves its page", password: "Nat-1ve-page-word" };

/** Starts the program and returns the address that it prints for users. */
async function start(t, ...settings) {
  const datadir = folder(t, () => end());
  const program = spawn(path.join(web, "../bin/obverse"), ["serve", "--datadir", datadir, "rpcport=0", "daemon.rpcport=0", ...settings], {
    env: { ...process.env, OBVERSE_PASSPHRASE: secrets.passphrase, OBVERSE_RPC_PASSWORD: secrets.password, OBVERSE_DAEMON_RPCPASSWORD: secrets.password },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = new Promise((resolve) => program.on("exit", resolve));
  const end = () => {
    program.kill();
    return ended;
  };
  const said = [];
  const printed = new Promise((resolve) => {
    readline.createInterface(program.stderr).on("line", (line) => {
      said.push(line);
      const [, address] = /^wallet page: (\S+)$/.exec(line) ?? [];
      address && resolve(address);
    });
  });
  const url = await Promise.race([printed, ended.then(() => assert.fail(`the native node did not start: ${said.join("\n")}`))]);
  return { url, end };
}

/** Opens a browser at the address and collects its console messages. */
async function browse(t) {
  const context = await newContext(t);
  const said = [];
  context.on("console", (message) => ["error", "warning"].includes(message.type()) && said.push(`${message.text()} ${message.location().url}`));
  context.on("weberror", (error) => said.push(String(error.error())));
  return { context, said };
}

test("the printed address serves a wallet with its own node in the page", async (t) => {
  const { url } = await start(t);
  assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/$/);
  const { context, said } = await browse(t);
  const answers = [];
  context.on("response", (response) => answers.push(response));
  const page = await context.newPage();
  await page.goto(url);
  await restore(page, { passphrase: "a wallet in the page" });
  await page.reload();
  await page.getByRole("heading", { level: 1 }).waitFor();
  assert.deepEqual(said, []);

  const paths = new Set();
  for (const answer of answers) {
    const headers = answer.headers();
    const { origin, pathname } = new URL(answer.url());
    if (origin !== new URL(url).origin || answer.request().method() !== "GET" || pathname === "/livez") {
      continue;
    }
    paths.add(pathname.replace(/-[\w-]{8}\./, "."));
    assert([200, 304].includes(answer.status()), `${pathname}: ${answer.status()}`);
    assert.equal(headers["content-security-policy"], policy, pathname);
    assert.equal(headers["cross-origin-opener-policy"], undefined, pathname);
    if (pathname.startsWith("/assets/")) {
      assert.match(headers["cache-control"], /immutable/, pathname);
      assert.equal(headers["content-encoding"], "br", pathname);
    } else {
      assert.equal(headers["cache-control"], "no-cache", pathname);
    }
    if (pathname.endsWith(".wasm")) {
      assert.equal(headers["content-type"], "application/wasm");
    }
  }
  for (const part of ["/", "/assets/index.js", "/assets/obverse.wasm", "/assets/worker.js"]) {
    assert(paths.has(part), `${part} is not among ${[...paths].join(" ")}`);
  }
});

test("the policy is enforced: no script, style or address but its own", async (t) => {
  const { url } = await start(t);
  const { context } = await browse(t);
  const page = await context.newPage();
  await page.goto(url);
  await page.evaluate(() => {
    globalThis.found = [];
    document.addEventListener("securitypolicyviolation", (event) => globalThis.found.push(event.effectiveDirective));
    const add = (name, more) => document.head.append(Object.assign(document.createElement(name), more));
    add("script", { textContent: "globalThis.ran = true" });
    add("style", { textContent: "body { display: none }" });
    void fetch("http://192.0.2.1/").catch(() => {});
    setTimeout(() => globalThis.eval("globalThis.ran = true")); // the test's own code may use eval
  });
  await page.waitForFunction(() => globalThis.found.length === 4);
  const refused = await page.evaluate(() => ({ found: globalThis.found, ran: globalThis.ran === true, hidden: getComputedStyle(document.body).display === "none" }));
  assert.deepEqual(refused.found.sort(), ["connect-src", "script-src", "script-src-elem", "style-src-elem"]);
  assert.equal(refused.ran || refused.hidden, false);
});

test("no other page has it in a frame", async (t) => {
  const { url } = await start(t);
  const other = createServer((request, answer) => answer.setHeader("Content-Type", "text/html").end(`<iframe src="${url}"></iframe>`));
  await new Promise((resolve) => other.listen(0, "127.0.0.1", resolve));
  t.after(() => other.close().closeAllConnections());
  const { context } = await browse(t);
  const page = await context.newPage();
  const refused = page.waitForEvent("console", (message) => message.text().includes("frame-ancestors"));
  await page.goto(`http://127.0.0.1:${other.address().port}/`);
  await refused;
});

test("the page calls the node that serves it, and no other page does", async (t) => {
  const { url } = await start(t);
  const { context, said } = await browse(t);
  const call = (address) =>
    fetch(address, { method: "POST", headers: { "Content-Type": "application/json" }, body: '{"method":"version"}' }).then(
      (answer) => answer.status,
      (error) => String(error.name),
    );
  for (const address of [url, url.replace("127.0.0.1", "localhost")]) {
    const page = await context.newPage();
    await page.goto(address);
    assert.equal(await page.evaluate(call, address), 200, address);
  }
  assert.deepEqual(said, []);
  const other = await start(t);
  const page = await context.newPage();
  await page.goto(other.url);
  assert.equal(await page.evaluate(call, url), "TypeError");
});

test("a wallet of the native node", async (t) => {
  const { url } = await start(t);
  const { context, said } = await browse(t);
  const page = await context.newPage();
  await page.goto(url);
  await page.getByRole("button", { name: /^Connect to a node/ }).click();
  await page.getByRole("textbox", { name: "rpc_password" }).fill(secrets.password);
  await until(async () => (await page.getByRole("textbox", { name: "Address of the node" }).inputValue()) === url, "the node that serves the page is suggested");
  await page.getByRole("button", { name: "Connect", exact: true }).click();
  await isOpen(page);
  await visit(page, "settings", "Settings");
  assert.deepEqual(said, []);
});
