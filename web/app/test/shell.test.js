import assert from "node:assert/strict";
import { test as plain } from "node:test";
import { sharing } from "../../test/sharing.js";
import { button } from "./steps.js";
import { checkAccess, headingFocused, isOpen, picture, sizes, unlocked, until, visit, wallet } from "./support.js";

const test = (name, does) => plain(name, { timeout: 400000 }, does);

/**
 * Opens the settings and waits for all of their requests, whose results make the view longer.
 * @param {import("playwright-core").Page} page
 */
async function wholeSettings(page) {
  await visit(page, "settings", "Settings");
  await page.locator("dd .groups").nth(1).waitFor(); // the peer ID and the public key
  await until(async () => (await page.locator("dd").filter({ hasText: /^…$/ }).count()) === 0, "everything is known");
}

const inWallet = sharing("an open wallet's frame", (t) => wallet(t));

test("a node that cannot be loaded is reported, and tried again", async (t) => {
  const { page, from } = await unlocked(t, { missing: /\.wasm$/ });
  await page.getByText("The node could not be loaded.").waitFor();
  await checkAccess(page);
  from.missing = undefined;
  await button(page, "Try again").click();
  await isOpen(page);
});

test("a view that is not on its server any more is reported, and loaded again", async (t) => {
  const { page, from } = await wallet(t, { missing: /\/everyday-[\w-]+\.js$/ });
  await page.evaluate(() => void (location.hash = "#/history"));
  await page.getByText("This part of the page could not be loaded.").waitFor();
  await checkAccess(page);
  from.missing = undefined;
  await button(page, "Try again").click();
  await page.getByRole("heading", { level: 1, name: "History" }).waitFor();
});

/** Reloads a view and returns the extent to which its content shifts. @param {import("playwright-core").Page} page @param {string} where */
async function shiftIn(page, where) {
  await page.evaluate((hash) => void (location.hash = hash), `#/${where}`);
  await page.reload();
  await isOpen(page);
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.waitForLoadState("networkidle");
  return page.evaluate(
    () =>
      new Promise((resolve) => {
        let sum = 0;
        const add = (entries) => entries.forEach((entry) => (sum += entry.value));
        const observer = new PerformanceObserver((list) => add(list.getEntries()));
        observer.observe({ type: "layout-shift", buffered: true });
        requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => (add(observer.takeRecords()), resolve(sum)))));
      }),
  );
}

inWallet("nothing on the page moves while it opens", async (t, { page: first, context, url }) => {
  for (const size of Object.values(sizes)) {
    const look = async (page, ...views) => {
      await page.emulateMedia({ reducedMotion: "no-preference" });
      await page.setViewportSize(size);
      for (const where of views) {
        const shift = await shiftIn(page, where);
        assert(shift < 0.01, `${where || "start"} at ${size.width}: ${shift}`);
      }
    };
    await look(first, ""); // the first page waits for the node to start; the others find it running
    const second = await context.newPage();
    await second.goto(url);
    await look(second, "", "tokens", "tokens/create", "lightning", "node", "console", "settings");
    await second.close();
  }
  await first.emulateMedia({ reducedMotion: "reduce" });
  await first.setViewportSize(sizes.desktop);
});

inWallet("the keyboard reaches the content at once, and what has the focus is seen", async (t, { page, url }) => {
  await page.goto(url);
  await isOpen(page);
  await page.keyboard.press("Tab");
  const skip = page.getByRole("link", { name: "Skip to content" });
  const { y, height } = (await skip.boundingBox()) ?? { y: -1, height: 0 };
  assert(y >= 0 && height > 20, "the link is shown when it has the focus");
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement?.id), "main");
  assert.equal(new URL(page.url()).hash, "");
  await wholeSettings(page);
  await headingFocused(page);
  const seen = new Set();
  for (let n = 0; n < 30; n++) {
    await page.keyboard.press("Tab");
    const { outline, label, inside } = await page.evaluate(() => {
      const focused = document.activeElement ?? document.body;
      const { outlineStyle, outlineWidth } = getComputedStyle(focused);
      const { top, bottom } = focused.getBoundingClientRect();
      return { outline: `${outlineStyle} ${outlineWidth}`, label: focused.textContent || focused.id, inside: top >= 0 && bottom <= innerHeight + 1 };
    });
    if (label.startsWith("Skip") || seen.has("Delete everything here")) {
      break;
    }
    assert.equal(outline, "solid 2px", label);
    assert(inside, `${label} is out of sight`);
    seen.add(label);
  }
  assert(seen.has("Delete everything here"), [...seen].join(", "));
});

/**
 * Returns the colours at the right edge of the page, which has a single colour behind a dialog.
 * @param {import("playwright-core").Page} page
 */
async function rightEdge(page) {
  const { width, height } = page.viewportSize() ?? { width: 0, height: 0 };
  const shot = await page.screenshot({ clip: { x: width - 17, y: 0, width: 17, height } });
  return page.evaluate(async (url) => {
    const picture = Object.assign(new Image(), { src: url });
    await picture.decode();
    const canvas = new OffscreenCanvas(picture.width, picture.height);
    const drawn = canvas.getContext("2d");
    drawn.drawImage(picture, 0, 0);
    const { data } = drawn.getImageData(0, 0, picture.width, picture.height);
    return [...new Set(new Uint32Array(data.buffer))];
  }, `data:image/png;base64,${shot.toString("base64")}`);
}

test("a dialog covers all of the page, with a scrollbar and without, and moves nothing", async (t) => {
  const { page, said } = await wallet(t, { without: ["--hide-scrollbars"] });
  await wholeSettings(page);
  const place = () => page.evaluate(() => JSON.stringify([scrollY, ...[...document.querySelectorAll("main section, header")].map((part) => part.getBoundingClientRect())]));
  for (const [height, scrolls] of /** @type {const} */ ([[700, true], [3200, false]])) {
    for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width: 1100, height });
      assert.equal(await page.evaluate(() => document.documentElement.scrollHeight > innerHeight), scrolls);
      await button(page, "Delete everything here").scrollIntoViewIfNeeded();
      const before = await place();
      await button(page, "Delete everything here").click();
      await page.getByRole("dialog").waitFor();
      const { left, right } = await page.locator("dialog").evaluate((dialog) => dialog.getBoundingClientRect().toJSON());
      assert.deepEqual([left, right], [0, 1100]);
      assert.equal((await rightEdge(page)).length, 1, `${colorScheme}, ${height} high`);
      assert.equal(await place(), before, "nothing has moved");
      await page.mouse.wheel(0, -300);
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
      assert.equal(await place(), before, "the page does not scroll behind it");
      await picture(page, `dialog-${height}`);
      await page.setViewportSize({ width: 1100, height });
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
      await page.setViewportSize({ width: 1100, height });
    }
  }
  assert.deepEqual(said, []);
});
