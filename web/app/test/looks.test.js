/** The page's appearance: touch targets, layout shifts, narrow screens, long words, and the page with all components. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { sharing } from "../../test/sharing.js";
import { amount, row } from "./money.js";
import { button, heading, settled } from "./steps.js";
import { browser, checkAccess, checkWidth, isOpen, restore, sizes, visit } from "./support.js";
import { usualWorld } from "./usual.js";

const PHONE = { width: 390, height: 844 };
const NARROW = { width: 320, height: 640 };

/** The main views, each with its heading in English. */
const views = [
  ["", "Home"],
  ["activity", "Activity"],
  ["nfts", "NFTs"],
  ["tokens", "Tokens"],
  ["settings", "Settings"],
  ["coin/ATOM", /^Cosmos/],
  ["receive/ATOM", "Receive"],
  ["send/ATOM", "Send"],
  ["history/ATOM", "History"],
  ["add", "Add coins"],
  ["activate/ATOM", "Activate a coin"],
  ["developer", "Developer"],
];

/**
 * Returns touch targets that are too small: below 44 by 44 pixels (WCAG 2.5.5), unless nothing else is within the 44
 * by 44 pixels around the centre, or the target is a link in a text.
 * @param {import("playwright-core").Page} page
 */
const tooSmall = (page) =>
  page.evaluate(() => {
    const LEAST = 44;
    const inText = (element) => getComputedStyle(element).display === "inline" && [...(element.parentElement?.childNodes ?? [])].some((node) => node.nodeType === Node.TEXT_NODE && /\w{2}/.test(node.textContent ?? ""));
    const all = [...document.querySelectorAll("a[href], button, input, select, textarea, summary, [role=button], [role=tab]")]
      .filter((element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && !element.matches(".skip, [hidden]") && !inText(element))
      .map((element) => ({ element, box: (element.matches("[type=checkbox], [type=radio]") ? (element.closest("label") ?? element) : element).getBoundingClientRect() }))
      .filter(({ box }) => box.width > 0 && box.height > 0);
    return all
      .filter(({ box }) => box.width < LEAST - 0.5 || box.height < LEAST - 0.5)
      .filter(({ element, box }) => {
        const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
        return all.some((other) => other.element !== element && other.box.left < x + LEAST / 2 && other.box.right > x - LEAST / 2 && other.box.top < y + LEAST / 2 && other.box.bottom > y - LEAST / 2);
      })
      .map(({ element, box }) => `${element.tagName} "${(element.getAttribute("aria-label") ?? element.closest("label")?.textContent ?? element.textContent ?? "").slice(0, 40)}" ${box.width.toFixed(0)} × ${box.height.toFixed(0)}`);
  });

const inWorld = sharing("a restored wallet with the usual coins, as it is seen", async (t) => {
  const opened = await browser(t, { usual: true });
  const world = await usualWorld(t, opened.context, { dead: [] });
  const page = await opened.context.newPage();
  await page.goto(opened.url);
  await restore(page, { passphrase: world.passphrase });
  for (const value of ["993.4998", "1.234567890123456789", "1250.5", "42"]) {
    await amount(page, value).waitFor();
  }
  await page.locator(".total", { hasText: "$9,455.89" }).waitFor();
  return { ...opened, page, world };
});

inWorld("each target is large enough for a thumb", async (t, { page }) => {
  await page.setViewportSize(PHONE);
  const found = [];
  for (const [path, name] of views) {
    await visit(page, /** @type {string} */ (path), name);
    await settled(page);
    found.push(...(await tooSmall(page)).map((one) => `${path || "start"}: ${one}`));
  }
  await visit(page, "activity", "Activity");
  await page.locator(".activity button.row").first().click();
  await page.getByRole("dialog").waitFor();
  found.push(...(await tooSmall(page)).map((one) => `details: ${one}`));
  await page.keyboard.press("Escape");
  await page.setViewportSize(sizes.desktop);
  assert.deepEqual(found, []);
});

test("each target of the first run is large enough for a thumb", async (t) => {
  const { context, url } = await browser(t);
  const page = await context.newPage();
  await page.setViewportSize(PHONE);
  await page.goto(url);
  await heading(page, "Welcome to Obverse");
  assert.deepEqual(await tooSmall(page), []);
  await button(page, /^Create a wallet/).click();
  await heading(page, "Recovery phrase");
  assert.deepEqual(await tooSmall(page), []);
  await button(page, "Back").click();
  await button(page, /^Restore a wallet/).click();
  await heading(page, "Restore a wallet");
  assert.deepEqual(await tooSmall(page), []);
  await button(page, "Back").click();
  await button(page, /^Connect to a node/).click();
  await heading(page, "Connect to a node");
  assert.deepEqual(await tooSmall(page), []);
});

inWorld("nothing sticks out of the narrowest screens, in both languages", async (t, { page }) => {
  await page.setViewportSize(NARROW);
  const wide = [];
  for (const language of ["de", "en"]) {
    await visit(page, "settings", /^(Settings|Einstellungen)$/);
    await page.getByRole("combobox", { name: /^(Language|Sprache)$/ }).selectOption(language);
    await page.locator(`html[lang="${language}"]`).waitFor();
    for (const [path] of views) {
      await visit(page, /** @type {string} */ (path), /./);
      await settled(page);
      await checkWidth(page).catch((error) => wide.push(`${language} ${path || "start"}: ${error.message}`));
      wide.push(...(await overlapping(page)).map((one) => `${language} ${path || "start"}: ${one}`));
    }
  }
  await page.setViewportSize(sizes.desktop);
  assert.deepEqual(wide, []);
});

/** Returns elements that are wider than their button, link or label and so overlap their neighbors. @param {import("playwright-core").Page} page */
const overlapping = (page) =>
  page.evaluate(() =>
    [...document.querySelectorAll("button, nav a, .act, .go, label, h1, h2, dt, legend")]
      .filter((element) => element.checkVisibility() && element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).display !== "inline" && !element.matches(".unseen"))
      .map((element) => `${element.tagName} "${(element.textContent ?? "").slice(0, 40)}" holds ${element.scrollWidth} in ${element.clientWidth}`),
  );

inWorld("nothing moves while the home of a wallet with coins opens", async (t, { page }) => {
  for (const size of [PHONE, sizes.desktop]) {
    await page.setViewportSize(size);
    const complete = async () => {
      await row(page, "ATOM").waitFor();
      for (const value of ["993.4998", "1.234567890123456789", "1250.5", "42"]) {
        await amount(page, value).waitFor();
      }
      await page.locator(".total", { hasText: "$9,455.89" }).waitFor();
    };
    await visit(page, "", "Home");
    await complete(); // the order of the rows is stored once all values are known
    await page.reload({ waitUntil: "commit" });
    await isOpen(page);
    await complete();
    await settled(page);
    const shifts = await page.evaluate(
      () =>
        new Promise((resolve) => {
          const found = [];
          const add = (entries) => entries.forEach((entry) => found.push({ value: entry.value, sources: entry.sources.map(({ node }) => (node instanceof Element ? node : node?.parentElement)?.outerHTML.slice(0, 120)) }));
          const observer = new PerformanceObserver((list) => add(list.getEntries()));
          observer.observe({ type: "layout-shift", buffered: true });
          requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => (add(observer.takeRecords()), resolve(found)))));
        }),
    );
    const sum = shifts.reduce((all, { value }) => all + value, 0);
    console.log(`# layout shift at ${size.width}: ${sum.toFixed(4)}`);
    assert(sum < 0.02, JSON.stringify(shifts, null, 1));
  }
});

test("the page of all parts shows them in both themes, with nothing in the way of anyone", async (t) => {
  const { context, url, said } = await browser(t);
  const page = await context.newPage();
  await page.goto(`${url}?design`);
  await heading(page, "Design");
  assert.deepEqual(await page.locator(".sheet").evaluateAll((all) => all.map((sheet) => getComputedStyle(sheet).backgroundColor)), ["rgb(255, 255, 255)", "rgb(18, 22, 28)"]);
  for (const [size, small] of [[sizes.desktop, false], [PHONE, true], [NARROW, true]]) {
    await page.setViewportSize(size);
    await checkWidth(page);
    await checkAccess(page);
    assert.deepEqual(small ? [...(await tooSmall(page)), ...(await overlapping(page))] : [], []);
  }
  await page.setViewportSize(sizes.desktop);
  await button(page, "Show a toast, Light").click();
  await page.locator(".design > .toasts").getByText("Copied the address").waitFor();
  for (const name of ["Open a dialog, Dark", "Open a side sheet, Light"]) {
    await button(page, name).click();
    await page.getByRole("dialog", { name: "Delete this contact?" }).waitFor();
    await checkAccess(page);
    await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
  }
  assert.deepEqual(said, []);
});
