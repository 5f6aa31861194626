import assert from "node:assert/strict";
import { test as plain } from "node:test";
import { encode } from "uqr";
import { sharing } from "../../test/sharing.js";
import { accounts, cosmosChain, moneyWallet, nativeWallet, activate } from "./money.js";
import { checkAccess, checkWidth, picture, sizes, until, visit } from "./support.js";

const test = (name, does) => plain(name, { timeout: 400000 }, does);
const { user } = accounts;
const inMoney = sharing("an open wallet with a coin and a token", (t) => moneyWallet(t, { tokens: ["IRIS-IBC_ATOM"] }));

/** Returns the dark modules of the displayed code, including the quiet zone, as a scanner sees them. */
const modules = (page, size) =>
  page.locator(".qr").evaluate(async (svg, count) => {
    const image = new Image();
    image.src = `data:image/svg+xml,${encodeURIComponent(new XMLSerializer().serializeToString(Object.assign(svg.cloneNode(true))).replace("<svg ", `<svg width="${count * 4}" height="${count * 4}" `))}`;
    await image.decode();
    const canvas = Object.assign(document.createElement("canvas"), { width: count * 4, height: count * 4 });
    const paper = canvas.getContext("2d");
    paper.drawImage(image, 0, 0);
    const { data } = paper.getImageData(0, 0, count * 4, count * 4);
    return Array.from({ length: count }, (_, y) => Array.from({ length: count }, (_, x) => data[((y * 4 + 2) * count * 4 + x * 4 + 2) * 4] < 128));
  }, size);

inMoney("nothing moves when the code comes", async (t, { page }) => {
  await visit(page, "", "Home");
  await page.evaluate(() => {
    globalThis.shifts = [];
    const place = ({ node, previousRect, currentRect }) => `${node?.outerHTML ?? node?.textContent}: ${JSON.stringify([previousRect, currentRect])}`;
    const moved = (list) => globalThis.shifts.push(...list.getEntries().filter(({ hadRecentInput }) => !hadRecentInput).flatMap(({ sources }) => sources.map(place)));
    new PerformanceObserver(moved).observe({ type: "layout-shift", buffered: false });
  });
  await visit(page, "receive", "Receive");
  await page.locator(".qr").waitFor();
  await visit(page, "send", "Send");
  await visit(page, "", "Home");
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve))))); // layout shifts are reported after the frame
  assert.deepEqual(await page.evaluate(() => globalThis.shifts), []);
});

inMoney("the whole address, its code and its network", async (t, { page, context, said }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await visit(page, "receive", "Receive");
  const code = page.getByRole("img", { name: "QR code of your ATOM address" });
  await code.waitFor();
  const groups = page.locator("main .groups span");
  assert.equal((await groups.allInnerTexts()).join(""), user.address);
  const [prefix, ...behind] = await groups.allInnerTexts();
  assert.equal(prefix, "cosmos1", "which is not split");
  assert(behind.every((group, n) => group.length === 4 || n === behind.length - 1));
  await page.getByText("Cosmos Hub", { exact: true }).waitFor();

  const { data } = encode(user.address, { ecc: "M", border: 4 });
  assert.deepEqual(await modules(page, data.length), data, "with four modules of white around it");
  const { width, height } = await code.boundingBox();
  assert(width === height && width / data.length >= 4, `${width} by ${height} pixels for ${data.length} modules`);

  await page.getByRole("button", { name: "Copy your ATOM address" }).click();
  await page.getByText("Copied your ATOM address").waitFor();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), user.address);
  const selected = await page.locator("main .groups").evaluate((all) => {
    getSelection().selectAllChildren(all);
    const text = String(getSelection());
    getSelection().removeAllRanges();
    return text;
  });
  assert.equal(selected, user.address, "what is selected by hand has no gaps");

  await checkAccess(page);
  await picture(page, "receive");
  await page.setViewportSize(sizes.phone);
  await checkWidth(page);
  await checkAccess(page);
  await page.setViewportSize(sizes.desktop);

  await page.getByLabel("Coin").selectOption("IRIS-IBC_ATOM");
  await page.getByText("Only IRIS, and other coins of this chain").waitFor();
  await page.getByRole("img", { name: "QR code of your IRIS address" }).waitFor();
  assert.match(page.url(), /#\/receive\/IRIS-IBC_ATOM$/);
  await visit(page, "receive/OSMOSIS", "Receive");
  await page.getByText("OSMOSIS is not active yet.").waitFor();
  assert.deepEqual(said, []);
});

test("the address of a native node", async (t) => {
  const chain = await cosmosChain(t);
  const { page } = await nativeWallet(t);
  await activate(page, [chain]);
  await visit(page, "receive", "Receive");
  await page.locator(".qr").waitFor();
  const address = (await page.locator("main .groups").innerText()).replaceAll(/\s/g, "");
  chain.give(address, "uatom", "1");
  await visit(page, "", "Home");
  await until(async () => (await page.locator("main data[value='0.000001']").count()) === 1);
});
