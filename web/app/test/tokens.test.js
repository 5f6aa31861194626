import assert from "node:assert/strict";
import { test as plain } from "node:test";
import { sharing } from "../../test/sharing.js";
import { browser, checkAccess, checkWidth, isOpen, sizes, until, visit, wallet } from "./support.js";
import { amount, broadcast, build, BURN, button, fact, look, OTHER } from "./tokensteps.js";

const test = (name, does) => plain(name, { timeout: 400000 }, does);

const inWallet = sharing("tokens of an open wallet", (t) => wallet(t));

inWallet("a token from its creation to its end", async (t, { page, said }) => {
  await visit(page, "tokens", "Tokens");
  await page.getByText("No tokens yet.").waitFor();
  await look(page, "empty");

  await page.getByRole("link", { name: "Create a token" }).click();
  await page.getByLabel("Name").fill("MYTOKEN");
  await page.getByLabel("How many").fill("10000");
  await page.getByText("These take 0.0001 OBVERSE").waitFor();
  await page.getByLabel("Description").fill("My first token");
  await look(page, "create");
  await button(page, "Continue").click();
  await page.getByRole("heading", { level: 1, name: "Create MYTOKEN" }).waitFor();
  assert.equal(await amount(page, "Token"), "10000");
  assert.equal(await amount(page, "Storage used"), "0.0001");
  assert.equal(await amount(page, "Listing"), "0.0001");
  assert.equal(await amount(page, "Fee"), "0.0001");
  await page.getByText("The whole transaction").click();
  await page.getByText("Marker that lists the token").waitFor();
  await look(page, "review");
  await broadcast(page);
  await page.getByRole("link", { name: "Creation of 10000 MYTOKEN" }).waitFor();
  await look(page, "list");

  const row = page.getByRole("row", { name: /MYTOKEN/ });
  assert.deepEqual(await row.locator("data").evaluateAll((all) => all.map((one) => one.value)), ["10000", "10000"]);
  await row.getByRole("link").click();
  await page.getByRole("heading", { level: 1, name: "MYTOKEN" }).waitFor();
  assert.equal(await amount(page, "You hold"), "10000");
  assert.equal(await fact(page, "Description").textContent(), "My first token");
  await until(async () => (await fact(page, "Creator").textContent()) === "you", "the creator is shown as the user once the user's key is known");
  await look(page, "token");

  await page.getByRole("link", { name: "Transfer", exact: true }).click();
  await page.getByLabel("Public key of the new owner").fill(OTHER);
  await page.getByLabel("How many").fill("2500");
  await look(page, "transfer");
  await button(page, "Continue").click();
  await page.getByText("Signed, not sent yet.").waitFor();
  assert.equal(await amount(page, "Transfer"), "2500");
  assert.equal((await fact(page, "To").textContent()).replaceAll(/\s/g, ""), OTHER, "all of the key is shown");
  assert.equal(await amount(page, "Fee"), "0.0001");
  await broadcast(page);

  await page.getByRole("row", { name: /MYTOKEN/ }).getByRole("link").click();
  await page.getByRole("link", { name: "Burn", exact: true }).click();
  await page.getByLabel("How many").fill("500");
  await button(page, "Continue").click();
  await button(page, "Broadcast").click();
  await page.getByText("Tick the box first.").waitFor();
  await look(page, "burn");
  await page.getByLabel("I understand that burned tokens cannot be recovered.").check();
  await broadcast(page);

  await page.getByRole("row", { name: /MYTOKEN/ }).getByRole("link").click();
  await page.getByRole("link", { name: "Burn", exact: true }).waitFor();
  assert.deepEqual([await amount(page, "You hold"), await amount(page, "Created"), await amount(page, "Burned")], ["7000", "10000", "500"]);
  await page.getByText("Balance of another key").click();
  await page.getByLabel("Public key").fill(OTHER);
  await button(page, "Check").click();
  await page.getByText(/It holds/).locator("data[value='2500']").waitFor();
  await page.getByLabel("Public key").fill("02zz");
  await button(page, "Check").click();
  await page.getByText("Invalid public key.").waitFor();
  assert.deepEqual(said, []);
});

test("invalid requests are reported before the node is asked, or in its stead", async (t) => {
  const { page, said } = await wallet(t);
  await build(page, { name: "", count: "1.5" });
  await page.getByText("Enter a name.").waitFor();
  await page.getByText("Enter a whole number of tokens").waitFor();
  await checkAccess(page);
  for (const [field, text, wrong] of [
    ["Name", "ä".repeat(17), "The name has 34 bytes, the maximum is 32."],
    ["How many", "0", "The minimum is one token."],
    ["How many", String(2n ** 63n), "This number is too large."],
    ["Description", "x".repeat(4097), "The description has 4097 bytes, the maximum is 4096."],
  ]) {
    await page.getByLabel(field).fill(text);
    await button(page, "Continue").click();
    await page.getByText(wrong).waitFor();
  }

  await build(page, { name: "LONG", count: "1", description: "x".repeat(200) });
  await page.getByText(/Nodes relay 208 by default/).waitFor();
  await page.getByText("Name, description and data together are too long to be relayed.").waitFor();
  await build(page, { name: "BIG", count: String(2n ** 60n) });
  await page.getByText("There are not enough OBVERSE for it and its fee.").waitFor();
  await page.getByText(/You have 100000\.01115369\. .* have somebody send OBVERSE to RMu2/).waitFor();
  await look(page, "short");

  await page.getByLabel("One of a kind").check();
  await button(page, "Continue").click();
  await page.getByText("Enter data").waitFor();
  await page.getByRole("textbox", { name: "Data" }).fill("abc");
  await button(page, "Continue").click();
  await page.getByText("Enter pairs of hexadecimal digits.").waitFor();
  await until(() => page.getByRole("textbox", { name: "Data" }).evaluate((field) => field === document.activeElement), "the field that is wrong has the focus");
  await page.getByRole("textbox", { name: "Data" }).fill("f7010203");
  await button(page, "Continue").click();
  await page.getByRole("heading", { level: 1, name: "Create BIG" }).waitFor();
  assert.equal(await amount(page, "Token"), "1");
  await broadcast(page);
  await page.getByRole("row", { name: /BIG/ }).getByRole("link").click();
  await page.getByText("f7010203").waitFor();

  const id = (await fact(page, "Id").locator(".groups").textContent()).replaceAll(/\s/g, "");
  await visit(page, `tokens/${id}/transfer`, "Transfer BIG");
  for (const [key, wrong] of [
    ["RMu23FrAbP47yz7UKMhX8CxWbFT7GsfZfP", "An address does not work here."],
    [BURN.toUpperCase(), "This key has no owner."],
    ["03873f737ab9c80e10f0c0bf380a20499127269526ed59d3b097fe6b46e8533efd", "This is your own key."],
  ]) {
    await page.getByLabel("Public key of the new owner").fill(key);
    await page.getByLabel("How many").fill("2");
    await button(page, "Continue").click();
    await page.getByText(wrong).waitFor();
    await page.getByText("You only have 1.").waitFor();
  }
  await visit(page, `tokens/${"00".repeat(32)}`, "Token");
  await page.getByText("This token does not exist on this chain.").waitFor();
  await visit(page, "tokens/nonsense", "Token");
  await page.getByText("Invalid token id.").waitFor();
  assert.deepEqual(said, []);
});

inWallet("a raw transaction is read, broadcast, and found again", async (t, { page, said }) => {
  await build(page, { name: "RAW", count: "77", description: "<b>bold</b>" });
  await page.getByText("The whole transaction").click();
  const hex = (await page.getByRole("region", { name: "Hexadecimal digits" }).textContent()).trim();
  await visit(page, "tokens/decode", "Decode a transaction");
  const field = page.getByRole("textbox", { name: /Raw transaction/ });
  for (const [text, wrong] of [
    ["hello", "Paste pairs of hexadecimal digits."],
    ["", "Paste pairs of hexadecimal digits."],
    [hex.slice(0, -20), "Invalid transaction."],
    ["00".repeat(32), "This transaction does not exist on this chain."],
  ]) {
    await field.fill(text);
    await button(page, "Decode").click();
    await page.getByText(wrong).waitFor();
  }
  await field.fill(`  ${hex.slice(0, 100)}\n${hex.slice(100)} `);
  await button(page, "Decode").click();
  await page.getByText("not broadcast from here").waitFor();
  assert.equal(await fact(page, "Creates").textContent(), "RAW");
  assert.equal(await fact(page, "Description").textContent(), "<b>bold</b>", "what others write is text");
  assert.equal(await amount(page, "Fee"), "0.0001");
  await page.getByText("Tokens: 77 tokens, to you").waitFor();
  await look(page, "decode");
  await button(page, "Broadcast it").click();
  await page.getByRole("heading", { level: 1, name: "Broadcast a transaction" }).waitFor();
  await broadcast(page);
  await page.getByRole("link", { name: "Broadcast", exact: true }).click();
  await page.getByText(/^in block \d+$/).first().waitFor();
  assert.equal(await amount(page, "Fee"), "0.0001", "what it spends is spent, and known");
  await visit(page, "tokens/decode", "Decode a transaction");
  await field.fill(hex);
  await button(page, "Decode").click();
  await button(page, "Broadcast it").click();
  await button(page, "Broadcast").click();
  await page.getByText("This transaction was already sent.").waitFor();
  assert.deepEqual(said, []);
});

inWallet("names as long as they may be, and from the right", async (t, { page, said }) => {
  for (const name of ["W".repeat(32), "gnorts\u05d0"]) {
    await build(page, { name: `\u202e${name}\u200b`, count: "900719925474" }); // the field removes invisible characters
    await page.getByRole("heading", { level: 1, name: `Create ${name}` }).waitFor();
    await page.setViewportSize(sizes.phone);
    await checkWidth(page);
    await broadcast(page);
    await checkWidth(page);
    await page.getByRole("row", { name }).getByRole("link").click();
    await page.getByRole("heading", { level: 1, name }).waitFor();
    await checkWidth(page);
    await look(page, "names");
  }
  assert.deepEqual(said, []);
});

test("an external wallet has no keys for tokens", async (t) => {
  const { context, url, said } = await browser(t);
  const page = await context.newPage();
  await page.goto(url);
  await page.getByRole("button", { name: /^Use an external wallet/ }).click();
  await button(page, "Continue").click();
  await isOpen(page);
  await visit(page, "tokens", "Tokens");
  await page.getByText("This node has no key, so it cannot hold tokens.").waitFor();
  await look(page, "nokey");
  assert.deepEqual(said, []);
});
