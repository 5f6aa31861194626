import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { test as plain } from "node:test";
import { connect as client } from "obverse/http";
import { sharing } from "../../test/sharing.js";
import { lightningPeer, UNUSED, PEER, ports } from "./lightningpeer.js";
import { connectTo, nativeNode, secrets } from "./native.js";
import { browser, checkAccess, checkWidth, folder, isOpen, picture, sizes, until, visit, wallet } from "./support.js";

const test = (name, does) => plain(name, { timeout: 400000 }, does);

const button = (page, name) => page.getByRole("button", { name, exact: true });
const field = (page, name) => page.getByRole("textbox", { name, exact: true });
const peers = (page) => page.getByRole("region", { name: "Peers" });
const trusted = (page) => page.getByRole("region", { name: "Trusted nodes" });

/** Waits for the error of a field. */
async function wrongAt(page, name, text) {
  await page.locator(".field", { has: field(page, name) }).getByRole("alert").filter({ hasText: text }).waitFor();
  assert.equal(await field(page, name).getAttribute("aria-invalid"), "true");
  await until(() => field(page, name).evaluate((input) => input === document.activeElement), `${name} has the focus`);
}

/** Checks the view in all sizes and colour schemes. */
async function look(page, name) {
  await checkAccess(page);
  await fits(page, name, checkAccess);
}

/** Checks the layout of a view whose other states are checked for accessibility. */
async function fits(page, name, check = async (_page) => {}) {
  await picture(page, `lightning-${name}`);
  await page.setViewportSize(sizes.phone);
  await checkWidth(page);
  await check(page);
  await page.setViewportSize(sizes.desktop);
}

/** Opens a page with a native node at the Lightning view. */
async function lightningWallet(t, settings = []) {
  const opened = await browser(t, { routed: true });
  const native = await nativeNode(t, new URL(opened.url).origin, settings);
  const page = await opened.context.newPage();
  await page.goto(opened.url);
  await connectTo(page, native, false);
  await isOpen(page);
  await visit(page, "lightning", "Lightning");
  opened.said.length = 0;
  return { ...opened, page, native };
}

const COIN = "tBTC-lightning";

/** Disconnects and distrusts all nodes of a coin. */
async function clear(node, coin) {
  const { peers } = await node.rpc("lightning::nodes::list_peers", { coin });
  const { trusted_nodes: trusted } = await node.rpc("lightning::nodes::list_trusted_nodes", { coin });
  for (const { node_id: id } of peers) {
    await node.rpc("lightning::nodes::disconnect", { coin, node_id: id });
  }
  for (const id of trusted) {
    await node.rpc("lightning::nodes::remove_trusted_node", { coin, node_id: id });
  }
}

/** Opens the Lightning view with one active coin without peers, or without active coins, regardless of the previous test. */
async function reopen({ page, node, said }, isActive) {
  await page.unrouteAll();
  await page.setViewportSize(sizes.desktop);
  const { coins } = await node.rpc("get_enabled_coins");
  await visit(page, "activate", "Activate a coin");
  for (const { ticker } of coins) {
    await clear(node, ticker);
    if (!isActive || ticker !== COIN) {
      await button(page, `Disable ${ticker}`).click();
      await page.getByRole("dialog").getByRole("button", { name: "Disable", exact: true }).click();
      await button(page, `Disable ${ticker}`).waitFor({ state: "hidden" });
    }
  }
  await visit(page, "lightning", "Lightning");
  const activate = button(page, `Activate ${COIN}`);
  await activate.or(peers(page)).waitFor();
  if (isActive && (await activate.isVisible())) {
    await activate.click();
  }
  await (isActive ? peers(page).getByText("No node is connected.") : activate).waitFor();
  said.length = 0;
}

const inNative = sharing("a native node for Lightning", async (t) => {
  const coins = path.join(folder(t), "coins.json");
  const data = { platform: "BTC-segwit", network: "mainnet", confirmation_targets: { background: 12, normal: 6, high_priority: 1 } };
  writeFileSync(coins, JSON.stringify([{ coin: "BTC-lightning", mm2: 1, decimals: 11, protocol: { type: "LIGHTNING", protocol_data: data } }]));
  const opened = await lightningWallet(t, [`coins=${coins}`]);
  const node = client({ url: opened.native.node, userpass: secrets.rpc });
  t.after(() => node.stop());
  return { ...opened, node };
});

const from = (isActive) => (name, does) =>
  inNative(name, async (t, opened) => {
    await reopen(opened, isActive);
    await does(t, opened);
  });
const inactive = from(false);
const active = from(true);

const connect = async (page, address) => {
  await field(page, "Address of the node").fill(address);
  await button(page, "Connect").click();
};

/** Waits for a peer in a state. */
const becomes = (page, state) => peers(page).getByRole("listitem").filter({ has: page.locator(`.state[data-state="${state}"]`) }).waitFor();

/** Removes the browser's messages about requests that a native node rejected. */
const unexpected = (said) => said.filter((line) => !/status of (400|404|409|500)/.test(line));

test("the node in the page says why it has no peers, and what to do", async (t) => {
  const { page, said } = await wallet(t);
  await visit(page, "lightning", "Lightning");
  await page.getByText("UnsupportedMode").waitFor();
  await page.getByText("browsers do not give web pages TCP connections").waitFor();
  await look(page, "page");
  await page.getByRole("link", { name: "Connect to one in the settings" }).click();
  await page.getByRole("heading", { level: 1, name: "Settings" }).waitFor();
  await page.getByRole("radio", { name: "A native node" }).waitFor();

  await page.setViewportSize(sizes.phone);
  await page.getByRole("navigation").getByRole("link", { name: "Settings" }).click();
  await page.getByRole("link", { name: "Lightning peers, node and console" }).click();
  await page.getByRole("main").getByRole("link", { name: "Lightning" }).click();
  await page.getByRole("heading", { level: 1, name: "Lightning" }).waitFor();
  assert.equal(await page.getByRole("navigation").getByRole("link", { name: "Settings" }).getAttribute("aria-current"), "true");
  await checkWidth(page);
  assert.deepEqual(said, []);
});

inactive("a Lightning coin becomes active, and its node is known", async (t, { page, said }) => {
  await page.getByRole("radio", { name: /^tBTC-lightning/ }).waitFor();
  await fits(page, "activate");

  await page.getByRole("radio", { name: "Another" }).check();
  await button(page, "Activate").click();
  await wrongAt(page, "Ticker", "Enter a ticker that ends in -lightning.");
  await field(page, "Ticker").fill("ATOM");
  await button(page, "Activate ATOM").click();
  await wrongAt(page, "Ticker", "end in -lightning");
  await field(page, "Ticker").fill("XYZ-lightning");
  await button(page, "Activate XYZ-lightning").click();
  await wrongAt(page, "Ticker", "Unknown coin");
  await look(page, "unknown");

  await page.getByRole("radio", { name: /^tBTC-lightning/ }).check();
  await field(page, "Name of your node").fill("☃".repeat(11));
  await button(page, "Activate tBTC-lightning").click();
  await wrongAt(page, "Name of your node", "The name has 33 bytes, the maximum is 32.");
  await field(page, "Name of your node").fill("mine");
  await page.getByText("Accept connections from other nodes").click();
  await field(page, "Port").fill("65536");
  await button(page, "Activate tBTC-lightning").click();
  await wrongAt(page, "Port", "A port is a number from 1 to 65535.");
  await field(page, "Port").fill("9735");
  await button(page, "Activate tBTC-lightning").click();

  await peers(page).getByText("No node is connected.").waitFor();
  assert.match((await page.getByText("Your node", { exact: true }).locator("xpath=following-sibling::dd[1]").locator(".groups").textContent()) ?? "", /^0[23][0-9a-f]{64}$/);
  await page.getByText("other nodes cannot connect to it").waitFor();
  await button(page, "Copy your node's id").waitFor();
  await fits(page, "empty");

  await page.reload();
  await isOpen(page);
  await peers(page).getByText("No node is connected.").waitFor();
  await page.getByRole("combobox", { name: "Coin" }).selectOption({ label: "Activate another one" });
  await field(page, "Ticker").waitFor();
  assert(!(await page.getByRole("radio", { name: /^tBTC-lightning/ }).isVisible()), "it is active already");

  await visit(page, "", "Home");
  await page.getByText("Bitcoin Testnet Lightning").waitFor();
  await page.getByText("no balance: it opens no channels").waitFor();
  assert.equal(await page.locator(".held data").count(), 0);
  assert.equal(await page.getByRole("link", { name: "Receive tBTC-lightning" }).count(), 0, "a node's id is no address to pay to");
  await checkAccess(page);
  await page.locator('.coin[data-coin="tBTC-lightning"] a').click();
  await peers(page).waitFor();
  await visit(page, "receive/tBTC-lightning", "Receive");
  await page.getByRole("main").getByRole("link", { name: "peers on the Lightning network" }).click();
  await peers(page).waitFor();
  await visit(page, "receive", "Receive");
  await page.getByText("None of your active coins can be sent or received: tBTC-lightning has peers on the Lightning network").waitFor();
  assert.deepEqual(unexpected(said), []);
});

/** Answers a page's calls of the methods in the returned map, each with a response or with a function that returns one. */
async function answered(page, native) {
  const answers = new Map();
  await page.route(`${native.node}/**`, async (route) => {
    const { method } = route.request().method() === "POST" ? route.request().postDataJSON() : {};
    const set = answers.get(method);
    const answer = typeof set === "function" ? set() : set;
    await (answer ? route.fulfill({ status: answer.error ? 400 : 200, headers: { "access-control-allow-origin": "*" }, json: { mmrpc: "2.0", id: null, ...answer } }) : route.continue());
  });
  return answers;
}

inactive("an activation that takes its time shows it, and can be cancelled", async (t, { page, native, said }) => {
  const answers = await answered(page, native);
  const status = "task::enable_lightning::status";
  answers.set("task::enable_lightning::init", { result: { task_id: 7 } });
  answers.set("task::enable_lightning::cancel", () => {
    answers.set(status, { error: "No such task '7'", error_type: "NoSuchTask", error_data: 7, error_path: "task", error_trace: "" });
    return { result: "success" };
  });
  answers.set(status, { result: { status: "InProgress", details: "ActivatingCoin" } });
  await button(page, "Activate tBTC-lightning").click();
  await page.getByRole("progressbar", { name: "Activating tBTC-lightning" }).waitFor();
  await checkAccess(page);
  await fits(page, "activating");
  await button(page, "Cancel").click();
  await page.getByText("Cancelled. Nothing was activated.").waitFor();

  answers.set(status, { result: { status: "Error", details: { error: "Initialization task has timed out 60s", error_type: "TaskTimedOut", error_data: {}, error_path: "", error_trace: "" } } });
  await button(page, "Activate tBTC-lightning").click();
  await page.getByText("It was not ready in time.").waitFor();
  answers.set("task::enable_lightning::init", { error: "Private key is not allowed", error_type: "PrivKeyNotAllowed", error_data: "none", error_path: "", error_trace: "" });
  await button(page, "Activate tBTC-lightning").click();
  await page.getByText("The node was started without a passphrase").waitFor();
  await checkAccess(page);
  answers.clear();
  await button(page, "Activate tBTC-lightning").click();
  await peers(page).waitFor();
  assert.deepEqual(unexpected(said), []);
});

inactive("with the keyboard alone", async (t, { page, said }) => {
  const peer = await lightningPeer(t);
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute("aria-label") || document.activeElement?.closest(".field")?.querySelector("label")?.textContent || document.activeElement?.textContent || "");
  const tabTo = async (name) => {
    for (let n = 0; n < 40; n++) {
      await page.keyboard.press("Tab");
      if ((await focused()).trim() === name) {
        return;
      }
    }
    assert.fail(`Tab does not reach ${name}`);
  };
  await page.locator("h1").focus();
  await tabTo("Name of your node");
  await page.keyboard.press("Enter");
  await peers(page).waitFor();
  await until(() => page.evaluate(() => document.activeElement?.tagName === "H1"), "the focus is at the beginning of the view");
  await tabTo("Address of the node");
  await page.keyboard.type("nonsense");
  await page.keyboard.press("Enter");
  await wrongAt(page, "Address of the node", "Enter the public key");
  await page.keyboard.press("Control+A");
  await page.keyboard.type(peer.address);
  await page.keyboard.press("Enter");
  await becomes(page, "connected");
  const id = PEER.slice(0, 8);
  await tabTo(`Trust ${id}`);
  await page.keyboard.press("Space");
  await trusted(page).getByRole("listitem").waitFor();
  assert(await page.evaluate(() => document.activeElement !== document.body), "the focus is not lost with the button");
  await tabTo(`Remove ${id}`);
  await page.keyboard.press("Enter");
  await until(async () => (await trusted(page).getByRole("listitem").count()) === 0);
  assert(await page.evaluate(() => document.activeElement !== document.body), "nor with the row");
  await page.locator("h1").focus();
  await tabTo(`Disconnect ${id}`);
  await page.keyboard.press("Enter");
  await peers(page).getByText("No node is connected.").waitFor();
  assert(await page.evaluate(() => document.activeElement !== document.body));
  assert.deepEqual(unexpected(said), []);
});

active("an invalid address is reported at its field", async (t, { page, said }) => {
  const peer = await lightningPeer(t);
  const foreign = await lightningPeer(t, ["--networks", "07".repeat(32)]);
  const { dead, silent } = await ports(t);
  const at = "Address of the node";
  for (const [address, why] of [
    ["", "Enter the public key of the node, then @"],
    ["rgjhk3", "Enter the public key of the node, then @"],
    ["02ab@127.0.0.1:9735", "Invalid public key before the @: it must have 66 hexadecimal digits, got 4 characters."],
    [`${PEER}@127.0.0.1`, "After the @: the port is missing; 9735 is the usual one."],
    [`${PEER}@abc.onion:9735`, "onion addresses are not supported"],
    [`${PEER}@127.0.0.1:${dead}`, "Connection refused."],
    [`${PEER}@nowhere.invalid:9735`, /Host not found|Unreachable|No route to this host|did not answer within/],
    [`${UNUSED}@127.0.0.1:${peer.port}`, "This address belongs to a different node, or not to a Lightning node."],
    [`${PEER}@127.0.0.1:${foreign.port}`, "This node belongs to a different network."],
    [`${PEER}@127.0.0.1:${silent}`, "The node did not answer within 10 seconds."],
  ]) {
    await connect(page, address);
    await wrongAt(page, at, why);
    assert.equal(await field(page, at).inputValue(), address, "it is there to be mended");
  }
  await checkAccess(page);
  await fits(page, "wrong");
  const own = await page.locator("dd .groups").first().textContent();
  await connect(page, `${own}@127.0.0.1:${peer.port}`);
  await wrongAt(page, at, "This is your own node.");
  await peers(page).getByText("No node is connected.").waitFor();
  await connect(page, `  ${peer.address}\n`);
  await becomes(page, "connected");
  assert.equal(await field(page, at).getAttribute("aria-invalid"), null);
  assert.deepEqual(unexpected(said), []);
});

active("a peer is connected, lost, reconnected, trusted, and disconnected", async (t, { page, said }) => {
  const peer = await lightningPeer(t);
  await connect(page, peer.address);
  await becomes(page, "connected");
  await page.getByRole("status").filter({ hasText: "Connected. Your node reconnects" }).waitFor();
  await peers(page).getByText(`at 127.0.0.1:${peer.port}`).waitFor();
  assert.equal(await peers(page).locator(".groups").textContent(), PEER);
  assert.equal(await field(page, "Address of the node").inputValue(), "");
  await connect(page, `${PEER}@localhost:${peer.port}`);
  await page.getByRole("status").filter({ hasText: "It is already connected" }).waitFor();
  assert.equal(await peers(page).getByRole("listitem").count(), 1);

  const id = PEER.slice(0, 8);
  await button(page, `Trust ${id}`).click();
  await peers(page).getByText("trusted", { exact: true }).waitFor();
  await trusted(page).getByRole("listitem").waitFor();
  await field(page, "Public key of a node to trust").fill("038863");
  await button(page, "Trust").click();
  await wrongAt(page, "Public key of a node to trust", "Invalid public key: it must have 66 hexadecimal digits, got 6 characters.");
  await field(page, "Public key of a node to trust").fill("");
  await button(page, "Trust").click();
  await wrongAt(page, "Public key of a node to trust", "Enter the public key of the node");
  await field(page, "Public key of a node to trust").fill(UNUSED.toUpperCase());
  await button(page, "Trust").click();
  await until(async () => (await trusted(page).getByRole("listitem").count()) === 2);
  await look(page, "peers");
  await button(page, `Remove ${UNUSED.slice(0, 8)}`).click();
  await until(async () => (await trusted(page).getByRole("listitem").count()) === 1);

  await peer.kill();
  await becomes(page, "waiting");
  await page.getByRole("status").filter({ hasText: `Peer ${id} is reconnecting` }).waitFor();
  await peers(page).getByText("reconnecting", { exact: true }).waitFor();
  const again = await lightningPeer(t, ["--port", String(peer.port)]);
  await becomes(page, "connected");
  await page.getByRole("status").filter({ hasText: `Peer ${id} is connected` }).waitFor();

  await again.kill();
  await becomes(page, "waiting");
  await fits(page, "reconnecting"); // meanwhile the node's attempts become less frequent
  await button(page, `Give up ${id}`).click();
  await peers(page).getByText("No node is connected.").waitFor();
  await trusted(page).getByRole("listitem").waitFor(); // trust does not depend on connections
  const third = await lightningPeer(t, ["--port", String(peer.port)]);
  await connect(page, third.address);
  await becomes(page, "connected");
  await button(page, `Disconnect ${id}`).click();
  await peers(page).getByText("No node is connected.").waitFor();
  await third.next("closed");
  await button(page, `Remove ${id}`).click();
  await until(async () => (await trusted(page).getByRole("listitem").count()) === 0);
  assert.deepEqual(unexpected(said), []);
});

/** Delays the node's responses to a method, which it executes nevertheless. Returns a function that releases them. */
async function hold(page, native, method) {
  let go = () => {};
  const wait = new Promise((resolve) => (go = () => resolve(undefined)));
  const held = [];
  await page.route(`${native.node}/**`, async (route) => {
    if (route.request().method() !== "POST" || route.request().postDataJSON().method !== method) {
      await route.fallback();
      return;
    }
    held.push(method);
    const response = await route.fetch();
    await wait;
    await route.fulfill({ response });
  });
  return { go, held };
}

active("a look at the node that is earlier than an answer does not take the focus away", async (t, { page, native }) => {
  const peer = await lightningPeer(t);
  await connect(page, peer.address);
  await becomes(page, "connected");
  const id = PEER.slice(0, 8);
  const isKept = () => page.evaluate(() => document.activeElement !== document.body && document.activeElement?.isConnected);
  for (const [method, name, seen] of /** @type {const} */ ([
    ["lightning::nodes::add_trusted_node", `Trust ${id}`, () => trusted(page).getByRole("listitem").waitFor()],
    ["lightning::nodes::remove_trusted_node", `Remove ${id}`, () => trusted(page).getByRole("listitem").waitFor({ state: "detached" })],
    ["lightning::nodes::disconnect", `Disconnect ${id}`, () => peers(page).getByText("No node is connected.").waitFor()],
  ])) {
    const { go, held } = await hold(page, native, method);
    await button(page, name).focus();
    await page.keyboard.press("Enter");
    await seen();
    assert.equal(held.length, 1);
    assert(await isKept(), `${name}: before the answer`);
    go();
    await button(page, name).waitFor({ state: "detached" });
    assert(await isKept(), `${name}: behind it`);
  }
});

active("requests without an answer are reported, and retried", async (t, { page, native }) => {
  const answers = await answered(page, native);
  const failed = { error: "I/O error: the disk is full", error_type: "IOError", error_data: "the disk is full", error_path: "", error_trace: "" };
  answers.set("lightning::nodes::add_trusted_node", failed);
  await field(page, "Public key of a node to trust").fill(PEER);
  await button(page, "Trust").click();
  await trusted(page).getByText("The node's storage failed.").waitFor();
  answers.set("lightning::nodes::list_trusted_nodes", failed);
  await page.getByRole("alert").getByRole("button", { name: "Try again" }).waitFor();
  await peers(page).waitFor(); // known data stays visible
  await checkAccess(page);
  answers.clear();
  await page.getByRole("alert").getByRole("button", { name: "Try again" }).waitFor({ state: "detached" });
  await button(page, "Trust").click();
  await trusted(page).getByRole("listitem").waitFor();
  assert.equal(await trusted(page).getByRole("alert").count(), 0);
});

active("a coin of the node's own coins file, together with another one", async (t, { page, said }) => {
  const coin = page.getByRole("combobox", { name: "Coin" });
  await coin.selectOption({ label: "Activate another one" });
  await field(page, "Ticker").fill("BTC-lightning");
  await button(page, "Activate BTC-lightning").click();
  await peers(page).waitFor();
  assert.equal(await coin.inputValue(), "BTC-lightning");
  const peer = await lightningPeer(t);
  await connect(page, peer.address);
  await becomes(page, "connected");
  await coin.selectOption({ label: "tBTC-lightning – Bitcoin Testnet Lightning" });
  await peers(page).getByText("No node is connected.").waitFor();
  await page.goBack();
  await becomes(page, "connected");
  assert.equal(await coin.inputValue(), "BTC-lightning");
  await fits(page, "two");
  await visit(page, "activate", "Activate a coin");
  await button(page, "Disable BTC-lightning").click();
  await page.getByRole("dialog").getByRole("button", { name: "Disable", exact: true }).click();
  await peer.next("closed");
  await visit(page, "lightning", "Lightning");
  await peers(page).getByText("No node is connected.").waitFor();
  assert.deepEqual(unexpected(said), []);
});

active("a node that answers slowly is heard: no look begins before the last one has its answer", async (t, { page, native }) => {
  await page.clock.install(); // without restoring it, since this is the last of these tests
  await visit(page, "", "Home");
  await visit(page, "lightning", "Lightning");
  await peers(page).waitFor();
  const { go, held } = await hold(page, native, "lightning::nodes::list_peers");
  await until(() => held.length > 0);
  await page.clock.runFor(20_000);
  const peer = await lightningPeer(t);
  assert.equal(held.length, 1);
  go();
  await connect(page, peer.address);
  await becomes(page, "connected");
});

test("other nodes connect to one that listens", async (t) => {
  const { silent: taken } = await ports(t);
  const { page, said } = await lightningWallet(t, ["lightning_ip=127.0.0.1"]);
  await page.getByText("Accept connections from other nodes").click();
  await field(page, "Port").fill(String(taken));
  await button(page, "Activate tBTC-lightning").click();
  await wrongAt(page, "Port", "Another program uses this port.");
  await fits(page, "taken");
  await field(page, "Port").fill("0");
  await button(page, "Activate tBTC-lightning").click();
  await peers(page).waitFor();
  const [, at = ""] = /at (127\.0\.0\.1:\d+)/.exec((await page.getByText(/^at 127\.0\.0\.1:\d+/).textContent()) ?? "") ?? [];
  await button(page, "Copy your node's address").waitFor();
  const own = (await page.locator("dd .groups").first().textContent()) ?? "";
  const caller = await lightningPeer(t, ["--connect", at, "--to", own]);
  await caller.next("init");
  await becomes(page, "connected");
  await peers(page).getByText(/^It connected to your node, from 127\.0\.0\.1:\d+/).waitFor();
  await fits(page, "inbound");
  await caller.kill();
  await peers(page).getByText("No node is connected.").waitFor();
  assert.deepEqual(unexpected(said), []);
});
