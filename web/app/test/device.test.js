import assert from "node:assert/strict";
import { hardwareWallet } from "../../test/device.js";
import { evmChain } from "../../test/evmchain.js";
import { sharing } from "../../test/sharing.js";
import { cosmosChain } from "./money.js";
import { browser, checkAccess, checkWidth, FAST, isOpen, picture, restore, sizes, until, visit } from "./support.js";

/** The account of the device's recovery phrase, and another account. */
const OWN = "0x9858EfFD232B4033E47d90003D41EC34EcaEda94";
const ATOM = "cosmos19rl4cm2hmr8afy4kldpxz3fka4jguq0auqdal4";
const OTHER = "0x00000000219ab540356cBB839Cbe05303d7705Fa";

const button = (page, name) => page.getByRole("button", { name, exact: true });
const alert = (page, text) => page.getByRole("alert").filter({ hasText: text }).first();

const withDevice = sharing("an open wallet and a hardware wallet", async (t) => {
  const opened = await browser(t, { speed: FAST });
  const device = await hardwareWallet(t, opened.context);
  const page = await opened.context.newPage();
  await page.goto(opened.url);
  await restore(page);
  const chain = await evmChain(t);
  await chain.give(OWN, 10n ** 18n);
  return { ...opened, page, device, chain };
});

/** Fills in the form for a coin with its key on the device. */
async function fill(page, coin, { url }) {
  await visit(page, `activate/${coin}`, "Activate a coin");
  await page.getByRole("radio", { name: /^A hardware wallet/ }).check();
  await page.getByLabel("Server 1", { exact: true }).fill(url);
}

withDevice("nothing is activated without a device that the user chose", async (t, { page, chain }) => {
  await fill(page, "ETH", chain);
  await checkAccess(page);
  await page.evaluate(() => void (globalThis.hidChooses = false));
  await button(page, "Activate ETH").click();
  await alert(page, "No device was chosen").waitFor();
  await page.evaluate(() => void (globalThis.hidChooses = true));
});

withDevice("a coin of an EVM network is activated: the page says what to do with the device", async (t, { page, device, chain, said }) => {
  await fill(page, "ETH", chain);
  await button(page, "Activate ETH").click(); // the device's dashboard is open
  await page.getByText("Connect your device, unlock it and open its Ethereum app.").waitFor();
  await picture(page, "device-activate");
  device.do("app", "Ethereum");
  await page.getByRole("heading", { level: 1, name: "ETH is active" }).waitFor();
  await visit(page, "receive/ETH", "Receive");
  await until(async () => (await page.locator("main").innerText()).replaceAll(/\s/g, "").includes(OWN), "the address is the device's");
  assert.deepEqual(said, []);
});

/** Fills in the send form. */
async function draft(page, value) {
  await visit(page, "send/ETH", "Send");
  await page.getByRole("textbox", { name: "To", exact: true }).fill(OTHER);
  await page.getByRole("textbox", { name: /^Amount in/ }).fill(value);
  await button(page, "Continue").click();
}

withDevice("its owner sees on the device what is sent, and it arrives", async (t, { page, device, chain, said }) => {
  device.shown.length = 0;
  await draft(page, "0.25");
  await page.getByRole("heading", { level: 1, name: "Check and send" }).waitFor();
  assert(device.shown.flat().some((line) => line.includes(OTHER)), `the device shows ${JSON.stringify(device.shown)}`);
  assert.equal(await chain.has(OTHER), 0n, "nothing is sent yet");
  await button(page, "Send 0.25 ETH").click();
  await page.getByText(/^(In|Confirmed in) block/).waitFor();
  assert.equal(await chain.has(OTHER), 25n * 10n ** 16n);
  await page.getByRole("link", { name: "Done" }).click();
  await page.getByRole("heading", { level: 1, name: "Home" }).waitFor(); // the next test opens another view
  assert.deepEqual(said, []);
});

withDevice("what its owner rejects is not sent, and the page says so", async (t, { page, device, chain }) => {
  const before = await chain.has(OTHER);
  device.do("reject");
  await draft(page, "0.1");
  await alert(page, /reject/i).waitFor();
  device.do("approve");
  assert.equal(await chain.has(OTHER), before);
});

withDevice("a device that is unplugged while it is asked is reported, and works again", async (t, { page, device }) => {
  await page.evaluate(() => globalThis.hidPlug(false));
  await draft(page, "0.1");
  await page.getByText("Connect your device, unlock it and open its Ethereum app.").waitFor();
  await page.evaluate(() => globalThis.hidPlug(true));
  await page.getByRole("heading", { level: 1, name: "Check and send" }).waitFor();
  await button(page, "Back").click();
  assert(device.shown.length > 0);
});

withDevice("a coin of a Cosmos chain, by the app for it", async (t, { page, device }) => {
  const chain = await cosmosChain(t);
  device.do("app", "Cosmos");
  await fill(page, "ATOM", chain);
  for (const size of Object.values(sizes)) {
    await page.setViewportSize(size);
    await checkWidth(page);
  }
  await button(page, "Activate ATOM").click();
  await page.getByRole("heading", { level: 1, name: "ATOM is active" }).waitFor();
  await visit(page, "receive/ATOM", "Receive");
  await until(async () => (await page.locator("main").innerText()).replaceAll(/\s/g, "").includes(ATOM), "the address is the device's");
});

withDevice("its coins are there after a reload, without the device", async (t, { page }) => {
  await page.evaluate(() => globalThis.hidPlug(false));
  await page.reload();
  await isOpen(page);
  await visit(page, "", "Home");
  await page.locator('.coin[data-coin="ETH"]').waitFor();
});
