/**
 * Takes pictures of the page in its states, in light and dark, on a desktop and a phone. `make shots` writes them to
 * the folder in SCREENSHOTS. They are for viewing; no test compares them.
 */

import { test } from "node:test";
import { nftServices } from "../../test/evmchain.js";
import { amount } from "./money.js";
import { landscape } from "./pixels.js";
import { settled } from "./steps.js";
import { browser, picture, restore, visit } from "./support.js";
import { EVM, usualWorld } from "./usual.js";

const views = [
  ["activity", "Activity"],
  ["coin/ATOM", /^Cosmos/],
  ["add", "Add coins"],
  ["receive/ATOM", "Receive"],
  ["send/ATOM", "Send"],
  ["history/ATOM", "History"],
  ["nfts", "NFTs"],
  ["tokens", "Tokens"],
  ["settings", "Settings"],
  ["developer", "Developer"],
  ["activate", "Activate a coin"],
  ["node", "Node"],
  ["console", "Console"],
];

test("pictures", { timeout: 600000 }, async (t) => {
  const { context, url } = await browser(t, { usual: true });
  const world = await usualWorld(t, context, { dead: [] });
  const pictures = await world.ethereum.deploy("Token721");
  const documents = Object.fromEntries([1, 2, 3, 4].map((n) => [`https://meta.example/${n}`, JSON.stringify({ name: `Lighthouse ${n}`, image: `https://pictures.example/${n}.png` })]));
  for (const uri of Object.keys(documents)) {
    await world.ethereum.send(pictures, "mint(address,uint256,string)", EVM, Number(uri.split("/").at(-1)), uri);
  }
  const services = await nftServices(t, world.ethereum, { documents });
  await context.route("https://pictures.example/**", (route) => route.fulfill({ headers: { "Access-Control-Allow-Origin": "*" }, contentType: "image/png", body: landscape(Number(/\d+/.exec(new URL(route.request().url()).pathname)?.[0])) }));
  const page = await context.newPage();
  await page.goto(url);
  await page.getByText("The node is loaded.").waitFor();
  await picture(page, "01-welcome");
  await page.getByRole("button", { name: /^Create a wallet/ }).click();
  await page.getByRole("button", { name: "Show words" }).click();
  await picture(page, "02-words");
  await page.getByRole("button", { name: "Back" }).click();
  await restore(page, { passphrase: world.passphrase });
  await page.getByRole("heading", { level: 2, name: "Coins" }).waitFor();
  await picture(page, "03-first");
  for (const value of ["993.4998", "1.234567890123456789", "1250.5", "42"]) {
    await amount(page, value).waitFor();
  }
  await page.locator(".worth", { hasText: "$4,480.68" }).waitFor();
  await picture(page, "04-home");
  for (const [n, [path, heading]] of views.entries()) {
    await visit(page, /** @type {string} */ (path), heading);
    await settled(page);
    await page.waitForLoadState("networkidle"); // includes images
    await picture(page, `${String(n + 5).padStart(2, "0")}-${String(path).replace("/", "-")}`);
  }
  await visit(page, "activity", "Activity");
  await page.locator(".activity button.row").first().click();
  await page.getByRole("dialog").waitFor();
  await picture(page, "20-details");
  await page.keyboard.press("Escape");
  await visit(page, "send/ETH?to=0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed&amount=0.25", "Send");
  await page.getByText(/^at most/).nth(2).waitFor();
  await picture(page, "23-send");
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByText("You have not sent to this address before").waitFor();
  await picture(page, "24-review");
  await page.getByRole("button", { name: "Send 0.25 ETH" }).click();
  await page.getByText(/^In block/).waitFor();
  await picture(page, "25-sent");
  await page.getByRole("button", { name: /^Add contact for/ }).click();
  await picture(page, "26-contact");
  await page.keyboard.press("Escape");
  await visit(page, "add", "Add coins");
  await page.getByRole("searchbox").fill("usd");
  await picture(page, "21-search");
  await visit(page, "nfts/ETH", "NFTs");
  await page.getByText(/^4 NFTs/).waitFor();
  await page.getByText("Use an indexer instead").click();
  await page.getByRole("textbox", { name: "Indexer" }).fill(services.url);
  await page.getByRole("textbox", { name: "Anti-spam service" }).fill(services.url);
  await page.getByRole("button", { name: "Use these" }).click();
  await page.getByRole("button", { name: "Refresh" }).click();
  await page.locator(".tiles img").nth(3).waitFor();
  await picture(page, "18-gallery");
  await visit(page, "settings", "Settings");
  await page.getByRole("checkbox", { name: /^NFTs on Ethereum/ }).scrollIntoViewIfNeeded();
  await picture(page, "19-privacy");
  await page.getByRole("combobox", { name: "Language" }).selectOption("de");
  await visit(page, "", "Start");
  await settled(page);
  await picture(page, "27-german");
  await visit(page, "settings", "Einstellungen");
  await settled(page);
  await picture(page, "28-german-settings");
  await page.getByRole("combobox", { name: "Sprache" }).selectOption("en");
  await page.getByRole("combobox", { name: "Language" }).waitFor();
  await page.getByRole("button", { name: "Lock" }).click();
  await page.getByRole("heading", { name: "Unlock" }).waitFor();
  await picture(page, "22-unlock");
  await page.goto(`${url}?design`);
  await page.getByRole("heading", { level: 1, name: "Design" }).waitFor();
  await page.waitForLoadState("networkidle");
  await picture(page, "29-design", { fullPage: true });
});
