import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { sharing } from "../../test/sharing.js";
import { accounts, activate, amount, cosmosChain, moneyWallet, nativeWallet, withoutCoins } from "./money.js";
import { checkAccess, checkWidth, headingFocused, isOpen, PASSWORD, picture, sizes, until, visit, WORDS } from "./support.js";

const { user, other, elsewhere } = accounts;
const IRIS = "ibc/9FBA79F830617D8C17C6D22BA1BB069C0515DAF2F942C5D82863552832E00F01";
const FEE = 3315n; // for the gas that the chain reports

const to = (page) => page.getByRole("textbox", { name: "To", exact: true });
const sum = (page) => page.getByRole("textbox", { name: /^Amount in/ });
const next = (page) => page.getByRole("button", { name: "Continue" });
const field = async (page, words) => page.getByRole("alert").filter({ hasText: words }).first().waitFor();

/** Fills in the form and continues to the transaction. */
async function fill(page, { address = other.address, value = "1.5", coin = "ATOM" } = {}) {
  await visit(page, `send/${coin}`, "Send");
  await to(page).fill(address);
  await sum(page).fill(value);
  await next(page).click();
}

/** Waits until the node has the complete history, since the check for known addresses does not wait long for it. */
async function historyLoaded(page) {
  await visit(page, "history", "History");
  await page.locator(".rest").waitFor();
  await page.getByText("The node is loading the history").waitFor({ state: "hidden" });
}

/** Resets the chain and the form. */
async function openSend(page, chain) {
  chain.fail(0);
  chain.mining = true;
  chain.mine();
  chain.transactions.length = 0;
  for (const [{ address }, denom, held] of [[user, IRIS, 0], [other, IRIS, 0], [accounts.empty, "uatom", 0], [user, "uatom", 993499000]]) {
    chain.set(address, denom, held);
  }
  await visit(page, "", "Home");
  await until(() => chain.listeners.size > 0, "the node listens to the chain");
  // The node receives these events. Change the balance twice, since the node does not report one that is
  // equal to the last that it has seen.
  for (const [units, shown] of [["1", "993.499001"], ["799", "993.4998"]]) {
    chain.give(user.address, "uatom", units);
    await amount(page, shown).waitFor();
  }
  await visit(page, "send/ATOM?to=", /./);
  const back = page.getByRole("button", { name: /^Back/ });
  await to(page).or(back).first().waitFor();
  if (await back.isVisible()) {
    await back.click();
    await to(page).waitFor();
  }
  await visit(page, "", "Home");
}

const inMoney = sharing("an open wallet with a coin and a token", (t) => moneyWallet(t, { tokens: ["IRIS-IBC_ATOM"] }));
const inNative = withoutCoins(sharing("a native node without coins", (t) => nativeWallet(t)));

const test = (name, does) =>
  inMoney(name, async (t, opened) => {
    await opened.page.setViewportSize(sizes.desktop);
    await openSend(opened.page, opened.chain);
    opened.said.length = 0;
    await does(t, opened);
  });

/** Waits until an input has the focus, which an invalid field gets a frame after its error appears. */
const isFocused = (input) => until(() => input.evaluate((one) => one === document.activeElement), "the first wrong field has the focus");

/** Returns the row for an effect of the transaction. */
const fact = (page, name) => page.locator(".transfer dt", { hasText: new RegExp(`^${name}$`) }).locator("xpath=following-sibling::dd[1]");

test("sending needs no pointer: form, fee, confirmation, block", async (t, { page, chain, said }) => {
  await historyLoaded(page);
  await visit(page, "", "Home");
  chain.mining = false;
  const before = chain.has(user.address, "uatom");
  const press = async (...keys) => {
    for (const key of keys) {
      await page.keyboard.press(key);
    }
  };
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent ?? "");
  await page.getByRole("link", { name: "Send", exact: true }).waitFor();
  await headingFocused(page);
  while ((await focused()) !== "Send") {
    await press("Tab");
  }
  await press("Enter");
  await page.getByRole("heading", { level: 1, name: "Send" }).waitFor();
  await to(page).waitFor();
  await headingFocused(page);
  await press("Tab", "Tab");
  await page.keyboard.type(other.address);
  await press("Tab", "Tab");
  await page.keyboard.type("1.5");
  await press("Tab", "Tab");
  await page.keyboard.type("for lunch");
  await picture(page, "send");
  await press("Enter");

  await page.getByRole("heading", { level: 1, name: "Check and send" }).waitFor();
  assert.equal((await fact(page, "To").innerText()).replaceAll(/\s/g, ""), other.address);
  for (const [name, shown] of [["Network", "Cosmos Hub"], ["Amount", "−1.5 ATOM"], ["Fee", "−0.003315 ATOM"], ["Balance afterwards", "991.996485 ATOM"], ["Memo", "for lunch"]]) {
    assert.equal((await fact(page, name).innerText()).trim(), shown);
  }
  await page.getByText("The network simulated this transaction, and it succeeded.").waitFor();
  await page.getByText("You have sent to this address before.").waitFor();
  assert.equal(chain.transactions.length, 0, "nothing is sent yet");
  await checkAccess(page);
  await picture(page, "send-check");
  await headingFocused(page);
  assert.match(await focused(), /Check and send/);
  await press("Tab", "Enter");

  await page.getByRole("heading", { level: 1, name: "Sent, waiting for a block" }).waitFor();
  await until(() => chain.transactions.length === 1, "the chain has the transaction");
  await checkAccess(page);
  await picture(page, "send-waiting");
  await visit(page, "", "Home");
  await visit(page, "send", "Sent, waiting for a block");
  chain.mine();
  await page.getByText(`Confirmed in block ${chain.height}.`).waitFor();
  await page.getByText(chain.transactions[0].hash.slice(0, 4)).first().waitFor();
  await checkAccess(page);
  await picture(page, "send-done");
  assert.equal(chain.has(user.address, "uatom"), before - 1500000n - FEE);
  assert.equal(chain.transactions[0].memo, "for lunch");
  await visit(page, "", "Home");
  await amount(page, "991.996485").waitFor();
  await visit(page, "send", "Send");
  assert.equal(await to(page).inputValue(), "", "the next form is empty");
  assert.deepEqual(said, []);
});

test("errors are shown next to their fields, and the form keeps its values", async (t, { page, chain }) => {
  await visit(page, "send", "Send");
  await next(page).click();
  await field(page, "Enter an address or a name.");
  await field(page, "Enter an amount.");
  await isFocused(to(page));
  for (const [value, words] of [
    ["1,234.5", "Write it without signs between the thousands"],
    ["a lot", "Enter a number, such as 1.5."],
    ["-1", "Enter an amount above zero."],
    ["0.00", "Enter an amount above zero."],
    ["0.0000001", "ATOM has 6 decimals at most."],
    ["993.5", "You only have 993.4998 ATOM, and this needs 993.5."],
  ]) {
    await to(page).fill(other.address);
    await sum(page).fill(value);
    await next(page).click();
    await field(page, words);
    await page.getByText("Enter an address or a name.").waitFor({ state: "hidden" });
  }
  await checkAccess(page);
  await picture(page, "send-wrong");
  await fill(page, { value: "993.4998" });
  await field(page, "You only have 993.4998 ATOM, and this needs 993.503115 with its fee.");
  await fill(page, { address: `${other.address.slice(0, -1)}y` });
  await field(page, "its checksum is wrong");
  await isFocused(to(page));
  assert.equal(await sum(page).inputValue(), "1.5");
  await to(page).fill(other.address);
  await page.getByRole("textbox", { name: /^Memo/ }).fill("x".repeat(257));
  await next(page).click();
  await field(page, "257 bytes, limit is 256");
  await page.getByRole("textbox", { name: /^Memo/ }).fill("");
  chain.fail();
  await next(page).click();
  await field(page, "The coin's servers do not answer.");
  await page.setViewportSize(sizes.phone);
  await checkWidth(page);
  chain.fail(0);
  await next(page).click();
  await page.getByRole("button", { name: "Send 1.5 ATOM" }).waitFor();
  await page.getByRole("button", { name: "Back" }).click();
  assert.deepEqual([await to(page).inputValue(), await sum(page).inputValue()], [other.address, "1.5"]);
});

test("all errors are reported at once, and the first of it has the focus", async (t, { page, chain }) => {
  await visit(page, "send", "Send");
  const alerts = () => page.getByRole("alert").allInnerTexts();
  const short = "You only have 993.4998 ATOM, and this needs 994.";
  for (const [address, value, said] of [
    ["cosmos1nobody", "", ["Invalid address for a Cosmos chain.", "Enter an amount."]],
    [`${other.address.slice(0, -1)}y`, "1,234.5", ["The address has a mistake in it: its checksum is wrong.", "Write it without signs between the thousands: 1234.5"]],
    [`${other.address.slice(0, -1)}y`, "994", ["The address has a mistake in it: its checksum is wrong.", short]],
    ["", "994", ["Enter an address or a name.", short]],
  ]) {
    await to(page).fill(address);
    await sum(page).fill(value);
    await next(page).focus();
    await next(page).click();
    await until(async () => (await alerts()).join() === said.join(), said.join());
    await isFocused(to(page));
  }
  await picture(page, "send-wrong-both");

  // An error that only the node can find stays until the address changes.
  await to(page).fill("juno1jrkmdcwgq94uaamx6zax2luewlhf7u4k229237");
  await sum(page).fill("1");
  await next(page).click();
  const unknown = page.getByRole("alert").filter({ hasText: "The node knows no channel" });
  await unknown.waitFor();
  await sum(page).fill("none");
  await next(page).click();
  await field(page, "Enter a number, such as 1.5.");
  assert.equal(await unknown.count(), 1);
  await sum(page).fill("994");
  await next(page).click();
  await field(page, short);
  await to(page).fill(other.address);
  await sum(page).fill("1");
  await next(page).click();
  await page.getByRole("button", { name: "Send 1 ATOM" }).waitFor();
  assert.equal(chain.transactions.length, 0);
});

inNative("a balance that comes late is held against what was entered before", async (t, { page, node }) => {
  const chain = await cosmosChain(t);
  let come = () => {};
  const late = new Promise((resolve) => void (come = () => resolve(undefined)));
  await page.route(`${node}/**`, async (route) => {
    await (route.request().postData()?.includes('"my_balance"') && late);
    await route.continue();
  });
  await activate(page, [chain]);
  await visit(page, "send/ATOM", "Send");
  await page.getByText("You can send …").waitFor();
  await sum(page).fill("994");
  await next(page).click();
  await field(page, "Enter an address or a name.");
  assert.equal(await page.getByRole("alert").count(), 1);
  come();
  await field(page, "You only have 0 ATOM, and this needs 994.");
  await sum(page).fill("9");
  await until(async () => (await page.getByRole("alert").allInnerTexts()).join() === "Enter an address or a name.", "the other amount is not said to be wrong");
  await sum(page).fill("994");
  await to(page).fill(other.address);
  await until(async () => (await page.getByRole("alert").allInnerTexts()).join() === "You only have 0 ATOM, and this needs 994.", "the amount stays wrong when the address is mended");
});

test("the maximum is the balance minus the fee", async (t, { page, chain }) => {
  await visit(page, "send", "Send");
  await to(page).fill(accounts.empty.address);
  await page.getByRole("button", { name: "Max: send all of it" }).click();
  await next(page).click();
  await page.getByRole("button", { name: "Send 993.496485 ATOM" }).click();
  await page.getByText(/^Confirmed in block/).waitFor();
  assert.deepEqual([chain.has(user.address, "uatom"), chain.has(accounts.empty.address, "uatom")], [0n, 993496485n]);
});

test("the fee of a token is paid in the chain's coin", async (t, { page, chain }) => {
  chain.set(user.address, IRIS, "5000001");
  await until(async () => {
    await visit(page, "", "Home");
    await visit(page, "send/IRIS-IBC_ATOM", "Send");
    return (await page.locator('.spendable data[value="5.000001"]').count()) > 0;
  }, "the balance is asked for when the form is opened");
  await fill(page, { coin: "IRIS-IBC_ATOM", value: "5.000001" });
  await page.getByRole("button", { name: "Send 5.000001 IRIS" }).waitFor();
  assert.deepEqual((await fact(page, "Balance afterwards").innerText()).trim().split("\n"), ["0 IRIS", "993.496485 ATOM"]);
  await page.getByRole("button", { name: /^Send 5/ }).click();
  await page.getByText(/^Confirmed in block/).waitFor();
  assert.equal(chain.has(other.address, IRIS), 5000001n);
  chain.set(user.address, "uatom", "5");
  await visit(page, "", "Home");
  chain.set(user.address, IRIS, "5000001");
  await fill(page, { coin: "IRIS-IBC_ATOM", value: "1" });
  await field(page, "The fee is paid in ATOM: it needs 0.003315, and there are 0.000005.");
});

test("an address of another chain goes over IBC, by a channel that works", async (t, { page, chain }) => {
  await visit(page, "send", "Send");
  await to(page).fill(elsewhere.address);
  await page.getByText("This address is of another chain").waitFor();
  const channel = page.getByRole("textbox", { name: "IBC channel" });
  assert.equal(await channel.getAttribute("placeholder"), "channel-91");
  await sum(page).fill("1");
  for (const [name, words] of [
    ["nine", "A channel is a number"],
    ["channel-9", "The chain has no channel-9."],
    ["1", "What is sent over channel-1 does not arrive now"],
  ]) {
    await channel.fill(name);
    await next(page).click();
    await field(page, words);
  }
  await checkAccess(page);
  await picture(page, "send-ibc");
  await channel.fill("");
  await next(page).click();
  await page.getByRole("button", { name: "Send 1 ATOM" }).waitFor();
  assert.equal(await fact(page, "Over IBC").innerText(), "channel-91");
  await page.getByRole("button", { name: "Send 1 ATOM" }).click();
  await page.getByText(/^Confirmed in block/).waitFor();
  assert.deepEqual([chain.transactions[0].messages[0].channel, chain.transactions[0].messages[0].to], ["channel-91", elsewhere.address]);

  await visit(page, "", "Home");
  await visit(page, "send", "Send");
  await to(page).fill("juno1jrkmdcwgq94uaamx6zax2luewlhf7u4k229237");
  await sum(page).fill("1");
  await next(page).click();
  await field(page, "The node knows no channel to the chain whose addresses begin with juno1.");
});

test("a channel that was entered for a receiver of another chain is not used for one of this chain", async (t, { page, chain }) => {
  await visit(page, "send/ATOM", "Send");
  await to(page).fill(elsewhere.address);
  const channel = page.getByRole("textbox", { name: "IBC channel" });
  await channel.fill("channel-0");
  await sum(page).fill("1");
  await to(page).fill(other.address.toUpperCase());
  await channel.waitFor({ state: "hidden" });
  await to(page).fill(other.address);
  await next(page).click();
  await page.getByRole("button", { name: "Send 1 ATOM" }).click();
  await page.getByText(/^Confirmed in block/).waitFor();
  assert.deepEqual(chain.transactions[0].messages.map(({ type, to: receiver }) => [type, receiver]), [["/cosmos.bank.v1beta1.MsgSend", other.address]]);
  await visit(page, "", "Home");
  await visit(page, "send", "Send");
  await to(page).fill(elsewhere.address);
  assert.equal(await channel.inputValue(), "", "nor for the next one");
});

test("an address that looks like a known one is pointed out", async (t, { page }) => {
  const twin = "cosmos1jrkmdcwgq9d46qqq6zax2luewlhf7u4kk7x3kz"; // has the same beginning and end as other's address, and took a moment to find
  assert.deepEqual([twin.slice(0, 11), twin.slice(-4)], [other.address.slice(0, 11), other.address.slice(-4)]);
  await historyLoaded(page);
  await fill(page, { address: twin });
  const warning = page.getByRole("alert").filter({ hasText: "This address is not the one that you know." });
  await warning.waitFor();
  assert((await warning.innerText()).replaceAll(/\s/g, "").includes(other.address));
  await checkAccess(page);
  await picture(page, "send-similar");
  await page.getByRole("button", { name: "Back" }).click();
  await fill(page, { address: user.address });
  await page.getByText("This is your own address.").waitFor();
});

test("what the chain refuses was not sent, and the form is there to mend it", async (t, { page, chain }) => {
  await fill(page);
  await page.getByRole("button", { name: "Send 1.5 ATOM" }).waitFor();
  chain.sequences.set(user.address, (chain.sequences.get(user.address) ?? 0) + 5); // another wallet with this key has sent transactions
  await page.getByRole("button", { name: "Send 1.5 ATOM" }).click();
  await page.getByRole("heading", { level: 1, name: "Not sent" }).waitFor();
  await page.getByText("Nothing was sent: another transaction of the account came first; make it again").waitFor();
  await checkAccess(page);
  await picture(page, "send-refused");
  await page.getByRole("button", { name: "Back to the form" }).click();
  assert.deepEqual([await to(page).inputValue(), await sum(page).inputValue()], [other.address, "1.5"]);

  chain.mining = false;
  await next(page).click();
  await page.getByRole("button", { name: "Send 1.5 ATOM" }).click();
  await page.getByRole("heading", { level: 1, name: /waiting/ }).waitFor();
  chain.set(user.address, "uatom", "1000000");
  chain.mine();
  await page.getByRole("heading", { level: 1, name: "It failed in its block" }).waitFor();
  await page.getByText("Only its fee was paid").waitFor();
});

test("if the result of a broadcast is unknown, the same transaction is sent again", async (t, { page, chain }) => {
  await fill(page);
  await page.getByRole("button", { name: "Send 1.5 ATOM" }).waitFor();
  const lost = [];
  chain.behave((request) => {
    if (request.method !== "broadcast_tx_sync") {
      return undefined;
    }
    lost.push(chain.answer(request)); // the transaction arrives, but the response is lost
    return { status: 502 };
  });
  await page.getByRole("button", { name: "Send 1.5 ATOM" }).click();
  await page.getByRole("heading", { level: 1, name: "It may have been sent" }).waitFor();
  await checkAccess(page);
  await picture(page, "send-unsure");
  chain.fail(0);
  await page.getByRole("button", { name: "Send the same again" }).click();
  await page.getByText(/^Confirmed in block/).waitFor();
  assert(lost.length > 0);
  assert.equal(chain.transactions.length, 1, "the chain took it once");
});

test("a transaction whose broadcast has no known result is followed after a reload, and the review warns of a second one", async (t, { page, chain }) => {
  chain.mining = false;
  await fill(page);
  await page.getByRole("button", { name: "Send 1.5 ATOM" }).waitFor();
  let isGone = false;
  chain.behave((request) => {
    if (request.method === "broadcast_tx_sync") {
      isGone = true;
      chain.answer(request); // it arrives, and nothing is answered from then on
    }
    return isGone ? { status: 503 } : undefined;
  });
  const before = chain.has(other.address, "uatom");
  await page.getByRole("button", { name: "Send 1.5 ATOM" }).click();
  await page.getByRole("heading", { level: 1, name: "It may have been sent" }).waitFor();
  await page.reload();
  await isOpen(page);
  chain.fail(0);
  await fill(page);
  await page.getByRole("alert").filter({ hasText: "you may pay twice" }).waitFor();
  chain.mining = true;
  chain.mine();
  await page.getByText(/^Sent: 1.5 ATOM, in block/).waitFor({ state: "attached" });
  await page.getByRole("alert").filter({ hasText: "you may pay twice" }).waitFor({ state: "detached" });
  assert.equal(chain.has(other.address, "uatom") - before, 1_500_000n);
});

test("a payment that the chain has stays pending if its server refuses it after a reload, and the review warns of a second one", async (t, { page, chain }) => {
  chain.mining = false;
  await fill(page);
  const before = chain.has(other.address, "uatom");
  await page.getByRole("button", { name: "Send 1.5 ATOM" }).click();
  await page.getByRole("heading", { level: 1, name: /waiting/ }).waitFor();
  let refused = 0;
  chain.behave(({ id, method, params }) => {
    if (method !== "broadcast_tx_sync") {
      return undefined;
    }
    refused++;
    const hash = createHash("sha256").update(Buffer.from(params.tx, "base64")).digest("hex").toUpperCase();
    return { text: JSON.stringify({ jsonrpc: "2.0", id, result: { code: 13, codespace: "sdk", data: "", log: "insufficient fees; got: 1uatom required: 3000uatom: insufficient fee", hash } }) };
  });
  await page.reload();
  await isOpen(page);
  await until(() => refused > 0, "it is sent again");
  await fill(page);
  await page.getByRole("alert").filter({ hasText: "you may pay twice" }).waitFor();
  chain.mining = true;
  chain.mine();
  await page.getByText(/^Sent: 1.5 ATOM, in block/).waitFor({ state: "attached" });
  assert.deepEqual([chain.transactions.length, chain.has(other.address, "uatom") - before], [1, 1_500_000n]);
});

test("another open tab lists a payment with an unknown result, and warns of a second one", async (t, { page, chain }) => {
  const second = await page.context().newPage();
  t.after(() => second.close());
  await second.goto(page.url());
  await isOpen(second);
  await visit(second, "activity", "Activity");
  chain.mining = false;
  await fill(page);
  await page.getByRole("button", { name: "Send 1.5 ATOM" }).waitFor();
  let isGone = false;
  chain.behave((request) => {
    if (request.method === "broadcast_tx_sync") {
      isGone = true;
      chain.answer(request);
    }
    return isGone ? { status: 503 } : undefined;
  });
  await page.getByRole("button", { name: "Send 1.5 ATOM" }).click();
  await page.getByRole("heading", { level: 1, name: "It may have been sent" }).waitFor();
  chain.fail(0);
  await second.locator("button.row").filter({ hasText: "Waiting for confirmation" }).waitFor();
  await fill(second);
  const warning = second.getByRole("alert").filter({ hasText: "you may pay twice" });
  await warning.waitFor();
  chain.mining = true;
  chain.mine();
  await page.getByText(/^Sent: 1.5 ATOM, in block/).waitFor({ state: "attached" });
  await warning.waitFor({ state: "detached" });
});

test("a link fills the form in", async (t, { page }) => {
  await visit(page, `send/ATOM?to=${other.address}&amount=2.25&memo=42`, "Send");
  await page.locator(`input[value="2.25"]`).or(sum(page)).first().waitFor();
  await until(async () => (await sum(page).inputValue()) === "2.25");
  assert.deepEqual([await to(page).inputValue(), await page.getByRole("textbox", { name: /^Memo/ }).inputValue()], [other.address, "42"]);
});

test("the form and the review match the open link", async (t, { page, context, url, said }) => {
  const memo = page.getByRole("textbox", { name: /^Memo/ });
  const max = page.getByRole("button", { name: "Max: send all of it" });
  const [first, second] = [[other.address, "2.25", "42?1"], [accounts.empty.address, "0.01", ""]];
  const link = ([address, amount, text]) => `send/ATOM?to=${address}${text && `&memo=${text}`}&amount=${amount}`;
  const shows = async ([address, amount, text], where = page) => {
    await until(async () => (await to(where).inputValue().catch(() => "")) === address, "the form matches the link");
    assert.deepEqual([await sum(where).inputValue(), await where.getByRole("textbox", { name: /^Memo/ }).inputValue()], [amount, text]);
  };
  await visit(page, link(first), "Send");
  await shows(first);
  await visit(page, link(second), "Send");
  await shows(second);

  await max.click();
  await memo.fill("to another shop");
  await visit(page, link(first), "Send");
  await shows(first);
  assert.equal(await max.getAttribute("aria-pressed"), "false");
  await next(page).click();
  await page.getByRole("button", { name: "Send 2.25 ATOM" }).waitFor();
  await visit(page, link(second), "Send");
  await shows(second);
  await next(page).click();
  await page.getByRole("button", { name: "Send 0.01 ATOM" }).waitFor();
  assert.equal((await fact(page, "To").innerText()).replaceAll(/\s/g, ""), accounts.empty.address);
  await page.goBack();
  await shows(first);

  await max.click();
  await page.evaluate((hash) => document.body.appendChild(Object.assign(document.createElement("a"), { href: hash, id: "same" })).click(), `#/${link(first)}`);
  await shows(first);
  assert.equal(await max.getAttribute("aria-pressed"), "false", "the same link again is a new request");
  await page.evaluate(() => document.getElementById("same")?.remove());

  const tab = await context.newPage();
  await tab.goto(`${url}#/${link(second)}`);
  await shows(second, tab);
  await tab.close();

  await next(page).click();
  await page.getByRole("button", { name: "Back" }).click();
  await shows(first);
  await next(page).click();
  await page.getByRole("button", { name: "Send 2.25 ATOM" }).waitFor();
  await visit(page, "", "Home");
  await visit(page, "send/ATOM", "Send");
  assert.deepEqual([await to(page).inputValue(), await sum(page).inputValue()], ["", ""], "a link that was left fills nothing in");

  for (const [query, why] of [
    [`to=${other.address}&req-time=5`, "the part “req-time”, which is not supported"],
    [`to=${other.address}&amount=1,5`, "“1,5” cannot be its amount"],
    [`to=${other.address}&to=${accounts.empty.address}`, "the part “to” twice"],
  ]) {
    await visit(page, `send/ATOM?${query}`, "Send");
    await field(page, why);
    assert.equal(await to(page).inputValue(), "");
  }
  assert.deepEqual(said, []);
});

test("a review that was left is not shown again, and neither is one that comes late", async (t, { page, chain }) => {
  await fill(page);
  await page.getByRole("button", { name: "Send 1.5 ATOM" }).waitFor();
  await visit(page, "settings", "Settings");
  await visit(page, "send/ATOM", "Send");
  assert.deepEqual([await to(page).inputValue(), await sum(page).inputValue()], [other.address, "1.5"]);
  let let_on = () => {};
  const held = new Promise((resolve) => void (let_on = () => resolve(undefined)));
  let asked = false;
  chain.behave(async (request) => {
    if (request.method === "abci_query") {
      asked = true;
      await held;
    }
    return undefined;
  });
  await next(page).click();
  await until(() => asked, "the transaction is being made");
  await visit(page, "settings", "Settings");
  let_on();
  chain.fail(0);
  await visit(page, "send/ATOM", "Send");
  assert.deepEqual([await to(page).inputValue(), await sum(page).inputValue()], [other.address, "1.5"]);
  await next(page).click();
  await page.getByRole("button", { name: "Send 1.5 ATOM" }).waitFor();
});

test("a recovery phrase in the memo is refused before the chain is asked", async (t, { page, chain }) => {
  await fill(page);
  await page.getByRole("button", { name: "Back" }).click();
  let simulated = 0;
  chain.behave(({ params }) => void (simulated += Number(params?.path === "/cosmos.tx.v1beta1.Service/Simulate")));
  const memo = page.getByRole("textbox", { name: /^Memo/ });
  for (const text of [WORDS, `order 12: ${WORDS.toUpperCase().replaceAll(" ", ", ")}!`]) {
    await memo.fill(text);
    await next(page).click();
    await field(page, "This text contains a recovery phrase.");
    assert.equal(await page.getByRole("heading", { level: 1, name: "Send" }).count(), 1);
  }
  assert.equal(simulated, 0);
  await memo.fill("for lunch");
  await next(page).click();
  await page.getByRole("button", { name: "Send 1.5 ATOM" }).waitFor();
  assert(simulated > 0, "the simulation is counted");
  assert.equal(chain.transactions.length, 0);
});

inNative("a transaction that is not the one that was entered is refused before it is shown", async (t, { page, node }) => {
  const chain = await cosmosChain(t);
  await activate(page, [chain]);
  const own = (await page.locator(".groups").innerText()).replaceAll(/\s/g, "");
  chain.give(own, "uatom", "3000000");
  await visit(page, "", "Home");
  await amount(page, "3").waitFor();
  let change = {};
  await page.route(`${node}/**`, async (route) => {
    if (!route.request().postData()?.includes('"withdraw"')) {
      return route.fallback();
    }
    const answer = await route.fetch();
    const body = await answer.json();
    return route.fulfill({ response: answer, json: { ...body, result: { ...body.result, ...change } } });
  });
  for (const [wrong, name] of [
    [{ to: [accounts.empty.address] }, "To"],
    [{ to: [other.address, accounts.empty.address] }, "To"],
    [{ total_amount: "2.9" }, "Amount"],
    [{ coin: "IRIS" }, "Coin, Amount"],
    [{ memo: "for someone else" }, "Memo"],
  ]) {
    change = wrong;
    await fill(page, { value: "1.5" });
    await field(page, `The transaction is not the one that you entered: ${name}.`);
    assert.equal(await page.getByRole("button", { name: /^Send / }).count(), 0);
    await visit(page, "", "Home");
  }
  change = {};
  await fill(page, { value: "1.5" });
  await page.getByRole("button", { name: "Send 1.5 ATOM" }).waitFor();
  assert.equal(chain.transactions.length, 0);
  await page.unroute(`${node}/**`);
});

inNative("a native node sends", async (t, { page, said }) => {
  const chain = await cosmosChain(t);
  await activate(page, [chain]);
  const own = (await page.locator(".groups").innerText()).replaceAll(/\s/g, "");
  chain.give(own, "uatom", "3000000");
  await visit(page, "", "Home");
  await amount(page, "3").waitFor();
  await fill(page, { value: "2.5" });
  await page.getByRole("button", { name: "Send 2.5 ATOM" }).click();
  await page.getByText(/^Confirmed in block/).waitFor();
  await visit(page, "", "Home");
  await amount(page, "0.496685").waitFor();
  assert.equal(chain.has(own, "uatom"), 496685n);
  assert.deepEqual(said, []);
});

test("who leaves the page while a transaction is handed over finds it again", async (t, { page, chain }) => {
  chain.mining = false;
  const waits = page.locator(".sentfrom").getByText("waits for a block");
  const leave = {
    reload: () => page.reload(),
    lock: async () => {
      await page.getByRole("button", { name: "Lock" }).click();
      await page.getByRole("textbox", { name: "Password" }).fill(PASSWORD);
      await until(async () => (await page.locator(".unseen[role=status]").textContent()).trim() === "", "what was said of the wallet is gone");
      await page.getByRole("button", { name: "Unlock" }).click();
    },
  };
  for (const [n, how] of Object.values(leave).entries()) {
    await fill(page);
    let held = false;
    chain.behave(async (request) => {
      // Only the first request: the next one is from the following node, which may send it
      // immediately.
      if (request.method === "broadcast_tx_sync" && !held) {
        chain.answer(request); // the transaction arrives, but the response is lost
        held = true;
        await new Promise(() => {});
      }
      return undefined;
    });
    await page.getByRole("button", { name: "Send 1.5 ATOM" }).click();
    await until(() => held, "the chain has it");
    await how();
    chain.fail(0);
    await isOpen(page);
    await visit(page, "send/ATOM", "Send");
    await waits.waitFor();
    chain.mine();
    await waits.waitFor({ state: "detached" });
    assert.equal(chain.transactions.length, n + 1);
  }
});

test("who leaves the wallet while a transaction waits finds it followed at once", async (t, { page, chain, said }) => {
  chain.mining = false;
  await fill(page);
  await page.getByRole("button", { name: "Send 1.5 ATOM" }).click();
  await page.getByRole("heading", { level: 1, name: /waiting/ }).waitFor();
  const asked = () => chain.asked.get("tx") ?? 0;
  const waits = page.locator(".sentfrom").getByText("waits for a block");
  for (let n = 0; n < 2; n++) {
    await page.getByRole("button", { name: "Lock" }).click();
    await page.getByRole("textbox", { name: "Password" }).fill(PASSWORD);
    const before = asked();
    await page.getByRole("button", { name: "Unlock" }).click();
    await isOpen(page);
    await visit(page, "send/ATOM", "Send");
    await waits.waitFor();
    await until(() => asked() > before, "the chain is asked for it");
  }
  chain.mine();
  await waits.waitFor({ state: "detached" });
  assert.equal(chain.transactions.length, 1);
  assert.deepEqual(said, []);
});
