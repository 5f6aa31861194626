/** The page in German: no English text is left in any view, in error messages and in closed details. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { nftServices } from "../../test/evmchain.js";
import { sharing } from "../../test/sharing.js";
import { web } from "../../test/support.js";
import { amount, row } from "./money.js";
import { button, settled, text } from "./steps.js";
import { browser, isOpen, PASSWORD, visit } from "./support.js";
import { EVM, usualWorld } from "./usual.js";

const [en, de] = ["en", "de"].map((language) => JSON.parse(readFileSync(path.join(web, "app/src/words", `${language}.json`), "utf8")));

/** Returns the texts between the variables of a message. @param {string} message */
const pieces = (message) =>
  message
    .replace(/\{\w+, plural,|(?:=\d+|one|other) \{/g, "{}")
    .split(/\{\w*\}|[{}#]/)
    .map((piece) => piece.trim())
    .filter((piece) => /\p{L}{2}/u.test(piece));

const german = new Set(Object.values(de).flatMap(pieces));

/** The English texts that do not occur in German: whole texts, and long pieces of texts with variables. */
const english = [...new Set(Object.values(en).flatMap(pieces))].filter((piece) => ![...german].some((other) => other.includes(piece)));
const whole = new Set(english);
const parts = english.filter((piece) => /\p{L}.* .*\p{L}.* .*\p{L}/u.test(piece));

/** Words that occur in most English sentences and in no German one. */
const COMMON = /\b(?:the|your|this|that|with|from|and|are|you)\b/;

/**
 * Returns English texts that are displayed, hidden or read aloud. Texts of the node and its servers, in <code> and
 * in the details of an error, are not translated, and neither are elements that are marked as such.
 * @param {import("playwright-core").Page} page
 */
async function englishIn(page) {
  const texts = await page.evaluate(() => {
    const upstream = "code, pre, [translate=no], .fault dd, script, style, noscript";
    const found = [document.title];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (!node.parentElement?.closest(upstream)) {
        found.push(node.textContent ?? "");
      }
    }
    for (const element of document.querySelectorAll("[aria-label], [title], [placeholder], [alt]")) {
      if (!element.closest(upstream)) {
        found.push(...["aria-label", "title", "placeholder", "alt"].map((name) => element.getAttribute(name) ?? ""));
      }
    }
    return [...new Set(found.map((one) => one.trim()).filter(Boolean))];
  });
  return texts.filter((one) => whole.has(one) || parts.some((part) => one.includes(part)) || COMMON.test(one));
}

test("the walk would find English texts", () => {
  assert(english.length > 900 && parts.length > 400, `${english.length}, ${parts.length}`);
  assert(whole.has("Receive") && whole.has("Forgot your password?"));
  assert(!whole.has("NFTs") && !whole.has("Version"), "what both languages have is no English");
});

/**
 * Opens all details elements, since some views render their content only when they are open.
 * @param {import("playwright-core").Page} page
 */
const unfold = (page) => page.evaluate(() => document.querySelectorAll("main details").forEach((element) => element.setAttribute("open", "")));

/** Opens a page in German from its first visit. */
async function opened(t, options = {}) {
  const { context, url, ...rest } = await browser(t, options);
  await context.addInitScript({ content: 'try { localStorage["obverse.language"] ??= "de"; } catch { /* a document without an origin */ }' });
  const page = await context.newPage();
  return { context, url, page, ...rest };
}

test("the first run", async (t) => {
  const { page, url } = await opened(t);
  await page.goto(url);
  await page.getByRole("heading", { level: 1, name: "Willkommen bei Obverse" }).waitFor();
  const found = [];
  const look = async (/** @type {string} */ where) => found.push(...(await englishIn(page)).map((one) => `${where}: ${one}`));
  await look("welcome");
  const back = () => button(page, "Zurück").click();
  await button(page, /^Wallet anlegen/).click();
  await look("words hidden");
  await button(page, "Wörter anzeigen").click();
  await page.locator(".words li").filter({ hasText: /[a-z]/ }).nth(11).waitFor();
  await look("words");
  await button(page, "Ich habe sie aufgeschrieben").click();
  await button(page, "Weiter").click();
  await page.getByText("Dieses Wort fehlt.").first().waitFor();
  await look("confirm");
  await button(page, "Wörter noch einmal zeigen").click();
  await button(page, "Später erledigen").click();
  await text(page, "Neues Passwort").fill("password");
  await button(page, "Wallet anlegen").click();
  await page.getByText(/Es ist ein häufiges Passwort/).waitFor();
  await look("password");
  await back();
  await back();
  await button(page, /^Wallet wiederherstellen/).click();
  const phrase = text(page, /^Wiederherstellungsphrase oder privater Schlüssel/);
  for (const given of ["", "legal winner thank year wave sausage worth useful legal winner thank yelow", "legal ".repeat(13), "legal ".repeat(12), "a secret "]) {
    await phrase.fill(given);
    await button(page, "Weiter").click();
    await page.locator('main [role="alert"]').first().waitFor();
    await look(`restore "${given}"`);
  }
  await button(page, "Zurück").click();
  await button(page, /^Externe Wallet/).click();
  await look("external");
  await back();
  await button(page, /^Mit einer Node verbinden/).click();
  await text(page, "Adresse der Node").fill("http://example.org");
  await button(page, "Verbinden").click();
  await page.locator('[aria-invalid="true"]').first().waitFor();
  await look("native");
  assert.deepEqual(found, []);
});

test("the page of all parts", async (t) => {
  const { page, url } = await opened(t);
  await page.goto(`${url}?design`);
  await page.getByRole("heading", { level: 1, name: "Design" }).waitFor();
  assert.deepEqual(await englishIn(page), []);
});

/** The views, each with the beginning of its heading. */
const views = [
  ["", "Start"],
  ["activity", "Verlauf"],
  ["tokens", "Token"],
  ["coin/ATOM", /^Cosmos/],
  ["coin/ETH", /^Ethereum/],
  ["receive/ATOM", "Empfangen"],
  ["receive/ETH", "Empfangen"],
  ["receive/OSMO", "Empfangen"],
  ["history/ATOM", "Verlauf"],
  ["history/ETH", "Verlauf"],
  ["add", "Coins hinzufügen"],
  ["activate", "Coin aktivieren"],
  ["activate/OSMO", "Coin aktivieren"],
  ["settings", "Einstellungen"],
  ["developer", "Entwickler"],
  ["lightning", "Lightning"],
  ["node", "Node"],
  ["console", "Konsole"],
];

const inWorld = sharing("a restored wallet with the usual coins, in German", async (t) => {
  const { context, page, url, ...rest } = await opened(t, { usual: true });
  const world = await usualWorld(t, context, { dead: [] });
  await page.goto(url);
  await button(page, /^Wallet wiederherstellen/).click();
  await text(page, /^Wiederherstellungsphrase oder privater Schlüssel/).fill(world.passphrase);
  await button(page, "Weiter").click();
  await text(page, "Neues Passwort").fill(PASSWORD);
  await button(page, "Wallet wiederherstellen").click();
  await isOpen(page);
  await amount(page, "993.4998").waitFor();
  return { context, page, url, world, ...rest };
});

inWorld("every view", async (t, { page }) => {
  const found = [];
  for (const [where, name] of views) {
    await visit(page, /** @type {string} */ (where), name);
    await settled(page);
    await unfold(page);
    await settled(page);
    found.push(...(await englishIn(page)).map((one) => `${where || "start"}: ${one}`));
  }
  assert.deepEqual(found, []);
});

inWorld("numbers are written as in German, and are understood so", async (t, { page }) => {
  await visit(page, "", "Start");
  assert.match(await row(page, "ATOM").innerText(), /993,499\sATOM/);
  assert.equal(await row(page, "ATOM").locator("data").first().getAttribute("title"), "993,4998");
  const thousands = row(page, "USDC-ERC20").locator("data").first();
  assert.deepEqual(await thousands.evaluate((data) => [data.value, data.textContent, getComputedStyle(data.children[1], "::before").content]), ["1250.5", "1250,5", '"."']);
  await visit(page, "send/ATOM?to=cosmos1jrkmdcwgq94uaamx6zax2luewlhf7u4kucx3kz&amount=1.234", "Senden");
  assert.equal(await text(page, /^Betrag/).inputValue(), "1,234");
  await page.getByText("≈ 5,57\u00a0$").waitFor();
  await button(page, "Betrag in USD eingeben").click();
  assert.equal(await text(page, /^Betrag/).inputValue(), "5,56", "rounded down");
  await text(page, /^Betrag/).fill("10");
  await amount(page, "2.217294").waitFor();
  await button(page, "Betrag in ATOM eingeben").click();
  assert.equal(await text(page, /^Betrag/).inputValue(), "2,217294");
  await text(page, /^Betrag/).fill("1.234");
  await button(page, "Weiter").click();
  await page.getByRole("alert").getByText("ohne Zeichen zwischen den Tausendern: 1234,5").waitFor();
  await text(page, /^Betrag/).fill("1234,5");
  await button(page, "Weiter").click();
  await page.getByRole("alert").getByText(/993,4998 ATOM.* 1234,5/).waitFor();
});

inWorld("a mistake in each field of Send, and what is looked at before it is sent", async (t, { page }) => {
  const found = [];
  const look = async (/** @type {string} */ where) => found.push(...(await englishIn(page)).map((one) => `${where}: ${one}`));
  const send = async (/** @type {string} */ to, /** @type {string} */ howMuch) => {
    await text(page, /^An/).fill(to);
    await text(page, /^Betrag/).fill(howMuch);
    await button(page, "Weiter").click();
    await page.locator('[aria-invalid="true"]').first().waitFor();
    await look(`send ${howMuch} to ${to}`);
  };
  await visit(page, "send/ATOM", "Senden");
  await settled(page);
  await look("send");
  for (const [to, howMuch] of [["", ""], ["cosmos1qqq", "0"], ["cosmos19rl4cm2hmr8afy4kldpxz3fka4jguq0auqdal5", "abc"], ["0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", "1'000"], ["osmo1qqqsyqcyq5rqwzqfpg9scrgwpugpzysnqdlvfs", "0.00000001"]]) {
    await send(to, howMuch);
  }
  await visit(page, "send/ETH", "Senden");
  await settled(page);
  await send("0x5aaeb6053F3E94C9b9A09f33669435E7Ef1BeAed", "1");
  await text(page, /^An/).fill("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed");
  await text(page, /^Betrag/).fill("0.1");
  await button(page, "Weiter").click();
  await page.getByRole("heading", { level: 1, name: "Prüfen und senden" }).waitFor();
  await page.getByText("Sie haben noch nie an diese Adresse gesendet").or(page.getByText(/diese Adresse/)).first().waitFor();
  await look("review");
  await button(page, "0,1 ETH senden").click();
  await page.getByText(/^In Block/).waitFor();
  await look("sent");
  await visit(page, "activity", "Verlauf");
  await page.locator(".activity button.row").first().click();
  await page.getByRole("dialog").waitFor();
  await look("details");
  await page.keyboard.press("Escape");
  assert.deepEqual(found, []);
});

inWorld("NFTs: their services, all of them, and one", async (t, { context, page, world }) => {
  const pictures = await world.ethereum.deploy("Token721");
  await world.ethereum.send(pictures, "mint(address,uint256,string)", EVM, 1, "https://meta.example/1");
  const services = await nftServices(t, world.ethereum, { documents: { "https://meta.example/1": JSON.stringify({ name: "Leuchtturm", image: "https://pictures.example/1.png" }) } });
  await context.route("https://pictures.example/**", (route) => route.fulfill({ status: 404 }));
  const found = [];
  const look = async (/** @type {string} */ where) => found.push(...(await englishIn(page)).map((one) => `${where}: ${one}`));
  await visit(page, "nfts/ETH", "NFTs");
  await page.getByText(de["nft.searchedall"].split("{")[0]).waitFor(); // the list is complete, and the form below it does not move
  await page.locator(".tiles a").waitFor();
  await unfold(page);
  await look("services");
  await text(page, "Indexer").fill(services.url);
  await text(page, "Anti-Spam-Dienst").fill(services.url);
  await button(page, "Diese verwenden").click(); // the list is refreshed automatically
  await page.locator(".tiles a").filter({ hasText: "Leuchtturm" }).waitFor();
  await unfold(page);
  await look("all");
  await page.locator(".tiles a").filter({ hasText: "Leuchtturm" }).click();
  await page.getByRole("heading", { level: 1, name: "Leuchtturm" }).waitFor();
  await settled(page);
  await unfold(page);
  await look("one");
  await page.getByRole("main").getByRole("link", { name: "Senden", exact: true }).click();
  await text(page, /^An/).fill("0x5aaeb6053F3E94C9b9A09f33669435E7Ef1BeAed");
  await button(page, "Weiter").click();
  await page.locator('[aria-invalid="true"]').first().waitFor();
  await look("one to a wrong address");
  await text(page, /^An/).fill("0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359");
  await button(page, "Weiter").click();
  await page.getByText(/^Sie haben noch nicht an diese Adresse gesendet.* Ein gesendetes NFT kommt nicht zurück\.$/).waitFor();
  await look("one that is to be sent");
  await button(page, "Leuchtturm senden").click();
  await page.getByText(/^In Block/).waitFor();
  await look("one that is sent");
  await visit(page, "activity", "Verlauf");
  await page.locator(".activity button.row").filter({ hasText: "Gesendet: Leuchtturm" }).click();
  await page.getByRole("dialog").waitFor();
  await look("one in the activity");
  await page.keyboard.press("Escape");
  await visit(page, `send/ETH/${pictures}/1`, "Senden");
  await page.getByText("Dieses NFT ist nicht in der Wallet.").waitFor();
  await look("one that is gone");
  assert.deepEqual(found, []);
});

inWorld("the lock, last, and what it says of a wrong password", async (t, { page }) => {
  await button(page, "Sperren").click();
  const password = text(page, "Passwort");
  await password.waitFor();
  await unfold(page);
  const found = await englishIn(page);
  await button(page, "Entsperren").click();
  await page.getByText("Geben Sie das Passwort ein.").waitFor();
  found.push(...(await englishIn(page)));
  await password.fill("wrong horse battery");
  await button(page, "Entsperren").click();
  await page.getByText("Falsches Passwort.").waitFor();
  found.push(...(await englishIn(page)));
  assert.deepEqual(found, []);
});
