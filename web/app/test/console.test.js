import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test as plain } from "node:test";
import { sharing } from "../../test/sharing.js";
import { connectTo, isOfEnd, nativeNode, secrets } from "./native.js";
import { everythingOf } from "./everything.js";
import { browser, checkAccess, checkWidth, isOpen, PASSWORD, picture, sizes, until, visit, wallet } from "./support.js";

const test = (name, does) => plain(name, { timeout: 400000 }, does);

const method = (page) => page.getByRole("combobox", { name: "Method" });
const params = (page) => page.getByRole("textbox", { name: "Parameters" });
const answer = (page) => page.getByRole("region", { name: "Answer" });
const options = (page) => page.getByRole("option");
const button = (page, name) => page.getByRole("button", { name, exact: true });

/** Checks the view in all sizes and colour schemes. */
async function look(page, name) {
  await picture(page, `console-${name}`);
  await checkAccess(page);
  await page.setViewportSize(sizes.phone);
  await checkWidth(page);
  await page.setViewportSize(sizes.desktop);
}

/** Calls a method and returns the displayed answer. */
async function send(page, name, text) {
  await method(page).fill(name);
  if (text !== undefined) {
    await params(page).fill(text);
  }
  const before = page.getByText(/^Status \d+, after/);
  const former = (await before.count()) > 0 ? await before.elementHandle() : null;
  await button(page, "Send").click();
  await until(async () => (await before.count()) === 1 && !(await former?.evaluate((node) => node.isConnected)), "another answer");
  return answer(page).textContent();
}

/** Clicks a copy button and returns the text in the clipboard. */
async function copied(page, what) {
  await page.getByRole("button", { name: new RegExp(`^Copy ${what}`) }).click();
  await page.getByRole("button", { name: new RegExp(`^Copied ${what}`) }).waitFor();
  return page.evaluate(() => navigator.clipboard.readText());
}

const inWallet = sharing("the console of an open wallet", async (t) => {
  const all = await wallet(t);
  await all.context.grantPermissions(["clipboard-read", "clipboard-write"]);
  return all;
});

/** Shows the console in its initial state, without previous calls. @param {import("playwright-core").Page} page */
async function openConsole(page) {
  await visit(page, "settings", "Settings");
  await visit(page, "console", "Console");
  await method(page).waitFor();
  if (await button(page, "Forget them").isVisible()) {
    await button(page, "Forget them").click();
  }
}

inWallet("a call by the keyboard alone: the method, its parameters, the answer", async (t, { page, said }) => {
  await openConsole(page);
  // The styles of a view stay after the view is left.
  await visit(page, "receive", "Receive");
  await visit(page, "console", "Console");
  assert.equal((await params(page).boundingBox())?.width, (await method(page).boundingBox())?.width);
  await page.getByRole("link", { name: "Skip to content" }).focus();
  await page.keyboard.press("Enter");
  const focus = () => page.evaluate(() => document.activeElement?.getAttribute("role") ?? document.activeElement?.tagName);
  for (let n = 0; (await focus()) !== "combobox"; n++) {
    assert(n < 10, "the method cannot be reached");
    await page.keyboard.press("Tab");
  }
  await page.keyboard.type("balance");
  const suggested = ["my_balance", "account_balance", ...["init", "status", "cancel"].map((verb) => `task::account_balance::${verb}`), "stream::balance::enable"];
  assert.deepEqual(await options(page).evaluateAll((all) => all.map((one) => one.firstChild.textContent)), suggested);
  assert.equal(await method(page).getAttribute("aria-expanded"), "true");
  assert.equal(await method(page).getAttribute("aria-activedescendant"), null);
  for (let n = 0; n <= suggested.length; n++) {
    await page.keyboard.press("ArrowDown"); // from the last option to the first
  }
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowDown");
  const active = await method(page).getAttribute("aria-activedescendant");
  assert.equal(await page.locator(`[id="${active}"][aria-selected="true"]`).textContent(), "my_balance Return the balance of a coin");
  await look(page, "suggestions");
  await page.keyboard.press("Enter");
  await until(async () => (await focus()) === "TEXTAREA", "the parameters have the focus");
  assert.equal(await params(page).inputValue(), '{\n  "coin": ""\n}');
  await page.keyboard.type("NONE");
  assert.equal(await params(page).inputValue(), '{\n  "coin": "NONE"\n}', "the caret is where the first value belongs");
  await page.keyboard.press("Control+Enter");
  await page.getByText(/^Status 404, after \d+\.\d ms$/).waitFor();
  await page.getByText("This coin is not active.").waitFor();
  assert.equal(JSON.parse(await answer(page).textContent()).error_type, "NoSuchCoin");
  assert.equal(await focus(), "TEXTAREA", "and one can go on at once");
  await look(page, "error");
  assert.deepEqual(said, []);
});

inWallet("the keys of the combobox", async (t, { page, said }) => {
  await openConsole(page);
  const box = method(page);
  await box.focus();
  await box.press("Alt+ArrowDown");
  assert.equal(await box.getAttribute("aria-expanded"), "true");
  const all = await options(page).count();
  assert(all > 25, "without a text all methods are suggested");
  await box.press("ArrowUp");
  assert.equal(await options(page).last().getAttribute("aria-selected"), "true");
  await box.press("ArrowDown");
  assert.equal(await options(page).first().getAttribute("aria-selected"), "true", "it goes round");
  await box.press("Escape");
  assert.equal(await box.getAttribute("aria-expanded"), "false");
  await box.fill("list node version");
  assert.deepEqual(await options(page).evaluateAll((found) => found.map((one) => one.firstChild.textContent)).then((found) => found.includes("add_node_to_version_stat")), true, "words are looked for in what a method does");
  await box.press("Escape");
  await box.press("Escape");
  assert.equal(await box.inputValue(), "");
  await box.fill("get_public_key_h");
  await box.press("Enter");
  assert.equal(await box.inputValue(), "get_public_key_hash", "the only one is meant");
  await box.fill("withdraw");
  await box.press("Tab");
  assert.deepEqual(Object.keys(JSON.parse(await params(page).inputValue())), ["coin", "to"], "a name that was typed counts too");
  await box.fill("my_bal");
  await options(page).first().click();
  assert.equal(await box.inputValue(), "my_balance");
  assert.equal(await options(page).count(), 0);
  await box.fill("no_such_method");
  await box.press("Control+Enter");
  await page.getByText("Unknown method.").waitFor();
  assert.deepEqual(said, []);
});

inWallet("parameter names are suggested where they apply, each with its description", async (t, { page, said }) => {
  await openConsole(page);
  await method(page).fill("withdraw");
  const help = page.getByRole("complementary", { name: "About the method" });
  await help.getByRole("heading", { name: "withdraw" }).waitFor();
  assert.match(await help.textContent(), /Create and sign a transaction that sends coins/);
  assert.match(await help.textContent(), /how much gas the transaction may use/);
  const box = params(page);
  await box.fill('{"coin": "ATOM", }');
  await box.press("ArrowLeft");
  await box.press("Control+Space");
  const names = () => options(page).evaluateAll((all) => all.map((one) => one.firstChild.textContent));
  assert.deepEqual((await names()).slice(0, 3), ["to", "amount", "max"], "what is there is not suggested again");
  await box.press("Escape");
  await page.keyboard.type('"fe');
  assert.deepEqual(await names(), ["fee"]);
  assert.match(await options(page).first().textContent(), /fee; by default estimated by the coin/);
  await look(page, "names");
  await box.press("Enter");
  assert.deepEqual(JSON.parse(await box.inputValue()).fee, { type: "CosmosGas", gas_price: "" });
  await box.fill('{"fee": {"gas_l');
  await box.press("Enter");
  assert.equal(await box.inputValue(), '{"fee": {"gas_limit": 1');
  await box.fill("{}");
  await help.getByRole("button", { name: "Add memo" }).click();
  assert.equal(await help.getByRole("button", { name: "Add memo" }).count(), 0);
  await help.getByRole("button", { name: "Add amount" }).click();
  assert.deepEqual(JSON.parse(await box.inputValue()), { memo: "", amount: "" });
  await box.fill('{"memo": ');
  await help.getByRole("button", { name: "Add max" }).click();
  await page.getByText("Fix the JSON first.").waitFor();
  await button(page, "Send").click();
  await page.getByText(/^Invalid JSON: /).waitFor();
  await checkAccess(page);
  assert.deepEqual(said, []);
});

inWallet("both interfaces, numbers with their digits, and calls to make again", async (t, { page, said }) => {
  await openConsole(page);
  assert.equal(JSON.parse(await send(page, "get_public_key")).result.public_key.length, 66);
  assert.match(await send(page, "my_tx_history", '{"coin": "NONE", "limit": 1.50}'), /1\.50/, "what was written was sent");
  await page.getByRole("radio", { name: /daemon API/ }).check();
  const balance = await send(page, "getbalance");
  assert.match(balance, /"result": 100000\.01115369,/);
  assert.equal(await copied(page, "JSON"), balance);
  assert.match(await send(page, "getblockhash", "[0]"), /"result": "[0-9a-f]{64}"/);
  assert.match(await send(page, "getinfo"), /"relayfee": 0\.00000100,/, "zeros that say nothing are digits too");
  await send(page, "tokeninfo", '["none"]');
  await page.getByText("Invalid token id.").waitFor();

  const calls = page.getByRole("heading", { name: "Calls" });
  await calls.waitFor();
  await look(page, "calls");
  await button(page, "B my_tx_history").click();
  assert.equal(await method(page).inputValue(), "my_tx_history");
  assert.equal(await params(page).inputValue(), '{"coin": "NONE", "limit": 1.50}');
  assert(await page.getByRole("radio", { name: /node API/ }).isChecked());
  await visit(page, "settings", "Settings");
  await visit(page, "console", "Console");
  await calls.waitFor();
  await button(page, "Forget them").click();
  await until(async () => (await calls.count()) === 0);
  assert.deepEqual(said, []);
});

inWallet("a secret is not shown at once, and not kept", async (t, { page, said }) => {
  await openConsole(page);
  await page.getByRole("radio", { name: /daemon API/ }).check();
  const address = JSON.parse(await send(page, "tokenaddress")).result.myaddress;
  await method(page).fill("dumpprivkey");
  await page.getByText("The answer is a private key.").waitFor();
  await params(page).fill(`["${address}"]`);
  await params(page).press("Control+Enter");
  await button(page, "Show the answer").waitFor();
  const [, key] = /(\w{52})/.exec(await page.evaluate(() => document.body.innerText)) ?? [];
  assert.equal(key, undefined, "it is not in the page before it is asked for");
  await look(page, "secret");
  await button(page, "Show the answer").click();
  const { result: wif } = JSON.parse(await answer(page).textContent());
  assert.match(wif, /^[A-Za-z0-9]{52}$/);

  // A secret that was sent is not in the list of calls and is not stored.
  await send(page, "validateaddress", `["${wif}"]`);
  await page.getByRole("radio", { name: /node API/ }).check();
  await send(page, "version", '{"userpass": "Sent-s3cret-word", "note": "kept"}');
  await button(page, "B version").click();
  assert.equal(await params(page).inputValue(), '{"userpass": "", "note": "kept"}');
  await page.getByText("Secrets were not kept: enter them again.").waitFor();
  await visit(page, "settings", "Settings");
  await visit(page, "console", "Console");
  await page.getByRole("heading", { name: "Calls" }).waitFor();
  const all = await everythingOf(page);
  for (const secret of [wif, "Sent-s3cret-word"]) {
    assert(![all, ...said].join("\n").includes(secret), "a secret was kept");
  }
  await page.getByRole("button", { name: "Lock" }).click();
  await page.getByRole("textbox", { name: "Password" }).fill(PASSWORD);
  await button(page, "Unlock").click();
  await isOpen(page);
  await visit(page, "console", "Console");
  await method(page).waitFor();
  assert.equal(await page.getByRole("heading", { name: "Calls" }).count(), 0, "a wallet that was locked has forgotten them");
  assert.deepEqual(said, []);
});

test("a native node: calls, streams, and the same by curl", async (t) => {
  const { context, url, said } = await browser(t);
  const native = await nativeNode(t, new URL(url).origin);
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const page = await context.newPage();
  await page.goto(url);
  await connectTo(page, native);
  await visit(page, "console", "Console");
  await method(page).waitFor();
  const key = JSON.parse(await send(page, "get_public_key")).result;
  assert.deepEqual(key, { public_key: secrets.publicKey });
  assert.match(await send(page, "stream::heartbeat::enable", "{}"), /HEARTBEAT/, "the page's own stream is meant");
  await send(page, "stream::disable", '{"streamer_id": "HEARTBEAT"}');

  await method(page).fill("get_public_key");
  await params(page).fill('{"note": "$HOME `id` \\\\ it\'s"}');
  const command = await copied(page, "as curl");
  assert(!command.includes(secrets.rpc), "the password is not in it");
  const ran = execFileSync("sh", ["-c", `RPC_PASSWORD='${secrets.rpc}'\n${command}`], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  assert.deepEqual(JSON.parse(ran), { mmrpc: "2.0", result: key, id: 1 });

  await page.getByRole("radio", { name: /daemon API/ }).check();
  await method(page).fill("getblockcount");
  await params(page).fill("[]");
  const other = await copied(page, "as curl");
  assert.match(other, /^curl --user 'obverse' /);
  const asked = execFileSync("sh", ["-c", other.replace("'obverse'", `'obverse:${secrets.daemon}'`)], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  assert.equal(typeof JSON.parse(asked).result, "number");
  assert.match(await send(page, "getblockcount"), /"result": \d+/);
  await look(page, "native");

  await native.stop();
  await button(page, "Send").click();
  await page.getByText("The node does not answer.", { exact: false }).first().waitFor();
  assert.deepEqual(said.filter((line) => !isOfEnd(line)), []);
});

test("a native node without its daemon API, and a link to a call", async (t) => {
  const { context, url, said } = await browser(t);
  const native = await nativeNode(t, new URL(url).origin);
  const page = await context.newPage();
  await page.goto(url);
  await connectTo(page, native, false);
  await visit(page, "console?call=B:withdraw", "Console");
  await method(page).waitFor();
  assert.equal(await method(page).inputValue(), "withdraw");
  assert.deepEqual(JSON.parse(await params(page).inputValue()), { coin: "", to: "" });
  assert(await page.getByRole("radio", { name: /daemon API/ }).isDisabled());
  assert.deepEqual(said, []);
});
