/** Steps of users in the first run and on the lock screen, for tests. */

import { browser, checkAccess, checkWidth, picture, sizes, until, visit } from "./support.js";

/** @typedef {import("playwright-core").Page} Page */

/** @param {Page} page @param {string | RegExp} name */
export const button = (page, name) => page.getByRole("button", { name });

/** Returns the locator of a field. @param {Page} page @param {string | RegExp} name */
export const text = (page, name) => page.getByRole("textbox", { name });

/** Waits for a heading. @param {Page} page @param {string} name */
export const heading = (page, name) => page.getByRole("heading", { level: 1, name }).waitFor();

/** Opens a page at the first run; where is a folder of the site. */
export async function first(t, where = "") {
  const opened = await browser(t);
  const page = await opened.context.newPage();
  await page.goto(opened.url + where);
  await heading(page, "Welcome to Obverse");
  return { ...opened, page };
}

/** Waits for the words of a new wallet and returns them. @param {Page} page @param {number} count */
export async function shownWords(page, count) {
  const words = page.locator(".words li");
  const show = button(page, "Show words");
  await show.or(words.filter({ hasText: /[a-z]/ })).first().waitFor();
  (await show.isVisible()) && (await show.click());
  await words.filter({ hasText: /[a-z]/ }).nth(count - 1).waitFor();
  return words.allTextContents();
}

/** Returns the public key in the settings. @param {Page} page */
export async function shownKey(page) {
  await visit(page, "settings", "Settings");
  return (await page.locator("dd .groups").filter({ hasText: /^0[23]/ }).textContent()) ?? "";
}

/** Checks a step in all sizes and colour schemes. @param {Page} page @param {string} name the name of the pictures */
export async function look(page, name) {
  for (const size of Object.values(sizes)) {
    await page.setViewportSize(size);
    await checkWidth(page);
    await checkAccess(page);
  }
  await page.setViewportSize(sizes.desktop);
  await picture(page, name);
}

/** Waits until a view has loaded its data. @param {import("playwright-core").Page} page */
export async function settled(page) {
  await until(async () => (await page.locator("main .bone, main progress:not([value])").count()) === 0, "the view has what it asked for");
}
