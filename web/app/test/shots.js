/**
 * Pictures of the page in its states, in light and dark, on a desktop and a phone: `make shots` writes them into the
 * folder that SCREENSHOTS names. They are to be looked at; no test compares them.
 */

import { test } from "node:test";
import { amount } from "./money.js";
import { browser, picture, restore, visit } from "./support.js";
import { usualWorld } from "./usual.js";

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
  const page = await context.newPage();
  await page.goto(url);
  await page.getByText("The node is loaded.").waitFor();
  await picture(page, "01-welcome");
  await page.getByRole("button", { name: /^Create a wallet/ }).click();
  await page.locator(".words li").filter({ hasText: /[a-z]/ }).nth(11).waitFor();
  await picture(page, "02-words");
  await page.getByRole("button", { name: "Back" }).click();
  await restore(page, { passphrase: world.passphrase });
  await picture(page, "03-first");
  for (const value of ["993.4998", "1.234567890123456789", "1250.5", "42"]) {
    await amount(page, value).waitFor();
  }
  await page.getByText("$4,480.68").waitFor();
  await picture(page, "04-home");
  for (const [n, [path, heading]] of views.entries()) {
    await visit(page, /** @type {string} */ (path), heading);
    await page.waitForLoadState("networkidle");
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
  await page.getByRole("button", { name: "Lock" }).click();
  await page.getByRole("heading", { name: "Unlock" }).waitFor();
  await picture(page, "22-unlock");
});
