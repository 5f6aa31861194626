/** The light client loaded by a page, without the rest of the package and under a strict policy. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { newContext } from "./contexts.js";
import { serveFolder, web } from "./support.js";

test("a page verifies answers, and refuses lies", async (t) => {
  const network = JSON.parse(readFileSync(path.join(web, "test/testdata/lightnet.json"), "utf8"));
  const site = await serveFolder(path.join(web, "dist"));
  t.after(() => site.close());
  const page = await (await newContext(t)).newPage();
  await page.goto(`${site.url}light.js`); // any file: only the origin matters
  const found = await page.evaluate(async ({ pin, now, answers }) => {
    const module = "/light.js";
    const { lightClient } = await import(module);
    const asked = answers.find(({ method }) => method === "tokenbalance");
    const verify = (balance) => lightClient({ pin, now: () => Date.parse(now) }).verifyTokenBalance({ ...asked.answer, balance }, ...asked.params);
    const { balance } = await verify(asked.answer.balance);
    return [String(balance), await verify(asked.answer.balance + 1).catch(({ name, kind }) => `${name} ${kind}`)];
  }, network);
  assert.deepEqual(found, ["954", "LightError BadProof"]);
});
