import assert from "node:assert/strict";
import { test as plain } from "node:test";
import { checkAccess, checkWidth, picture, sizes, visit, wallet } from "./support.js";

const test = (name, does) => plain(name, { timeout: 120000 }, does);

test("the settings are there, for everybody", async (t) => {
  const { page, said } = await wallet(t);
  await visit(page, "settings", "Settings");
  await checkAccess(page);
  await page.setViewportSize(sizes.phone);
  await checkWidth(page);
  await checkAccess(page);
  await picture(page, "settings");
  assert.deepEqual(said, []);
});
