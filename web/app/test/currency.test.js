/** Values and amounts in the currency of prices, while prices, their age and the currency change. */

import assert from "node:assert/strict";
import { test as plain } from "node:test";
import { button, heading, text } from "./steps.js";
import { usualWorld } from "./usual.js";
import { browser, FAST, restore, until, visit } from "./support.js";

const test = (name, does) => plain(name, { timeout: 400000 }, does);

const OTHER = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";

/** A wallet with its prices, and the form to send ETH from it. @param {import("node:test").TestContext} t */
async function form(t) {
  const { context, url } = await browser(t, { usual: true, speed: FAST });
  const world = await usualWorld(t, context, { dead: [] });
  const page = await context.newPage();
  await page.goto(url);
  await restore(page, { passphrase: world.passphrase });
  await page.locator(".worth", { hasText: "$3,703.70" }).waitFor();
  await visit(page, "send/ETH", "Send");
  await text(page, "To").fill(OTHER);
  /** Has the price service give another answer, and waits until it is requested. A status other than 200 is a failure. */
  const answer = async (/** @type {object} */ ethereum, status = 200) => {
    let requests = 0;
    await context.route("https://api.coingecko.com/**", (route) => (requests++, route.fulfill({ status, json: { ethereum }, headers: { "Access-Control-Allow-Origin": "*" } })));
    return () => until(() => requests > 0, "prices are requested again");
  };
  /** Lets the page find that time has passed, without locking itself. */
  const pass = (/** @type {number} */ minutes, isSeen = true) =>
    page.evaluate(
      ({ ms, isSeen }) => {
        const now = Date.now.bind(Date);
        Date.now = () => now() + ms;
        localStorage["obverse.seen"] = String(Date.now());
        isSeen && document.dispatchEvent(new Event("visibilitychange"));
      },
      { ms: minutes * 60_000, isSeen },
    );
  const content = () => page.locator("main").innerText();
  return { page, answer, pass, content };
}

const next = (page) => page.getByRole("button", { name: "Continue" }).click();

test("a review that stays open shows no values at prices that are not refreshed for 15 minutes", async (t) => {
  const { page, answer, pass, content } = await form(t);
  await text(page, /^Amount in/).fill("0.5");
  await page.getByText("≈ $1,500.00").waitFor();
  await next(page);
  await heading(page, "Check and send");
  assert.match(await content(), /0\.5 ETH ≈ \$1,500\.00/);
  await (await answer({ usd: 2000 }))();
  await page.getByText("≈ $1,000.00").waitFor();
  await (await answer({}, 500))();
  await pass(10);
  assert.match(await content(), /0\.5 ETH ≈ \$1,000\.00/);
  await pass(6);
  await until(async () => !(await content()).includes("$"), "no value is shown at an old price");
  assert.match(await content(), /0\.5 ETH/);
});

/** Checks that the form has an amount in a unit, and waits for its counterpart. */
async function has(page, unit, value, counterpart) {
  await until(async () => (await text(page, /^Amount in/).inputValue()) === value && (await page.locator(".counterpart").allInnerTexts()).join() === counterpart, `${value} ${unit}, ${counterpart}`);
  await text(page, `Amount in ${unit}`).waitFor();
}

test("an amount in a currency is converted at each price until there is a review, and is one in the coin without a current price", async (t) => {
  const { page, answer, pass, content } = await form(t);
  await text(page, /^Amount in/).fill("0.123");
  await button(page, "Enter the amount in USD").click();
  await has(page, "USD", "369", "0.123 ETH");
  await text(page, /^Amount in/).fill("300");
  await has(page, "USD", "300", "0.1 ETH");
  await (await answer({ usd: 1500 }))();
  await has(page, "USD", "300", "0.2 ETH");
  await next(page);
  await heading(page, "Check and send");
  await (await answer({ usd: 2000 }))();
  await page.getByText("≈ $400.00").waitFor();
  assert.match(await content(), /0\.2 ETH/, "the order stays");
  await button(page, "Back").click();
  await has(page, "USD", "300", "0.15 ETH");
  await (await answer({}, 500))();
  await pass(16);
  await has(page, "ETH", "0.15", "");
  await next(page);
  await heading(page, "Check and send");
  assert.match(await content(), /0\.15 ETH/);
});

test("an amount in a currency is one in the coin when another currency is chosen", async (t) => {
  const { page, answer } = await form(t);
  await button(page, "Enter the amount in USD").click();
  await text(page, /^Amount in/).fill("300");
  await has(page, "USD", "300", "0.1 ETH");
  await visit(page, "settings", "Settings");
  await answer({ jpy: 450000 });
  await page.getByLabel(/currency/i).first().selectOption("jpy");
  await visit(page, "send/ETH", "Send");
  await has(page, "ETH", "0.1", "≈ ¥45,000");
  await button(page, "Enter the amount in JPY").click();
  await has(page, "JPY", "45000", "0.1 ETH");
});
