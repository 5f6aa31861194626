import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { compress, compressQuickly } from "../compress.js";

const folder = mkdtempSync(path.join(tmpdir(), "compressed-"));
process.env.XDG_CACHE_HOME = folder;
after(() => rmSync(folder, { recursive: true }));

const text = (/** @type {number} */ length) => Buffer.from(Array.from({ length }, (_, i) => `line ${(i * i) % 997}\n`).join(""));

test("both ways give back what was compressed", async () => {
  for (const bytes of [Buffer.alloc(0), Buffer.from("{}"), text(5000)]) {
    for (const way of [compress, compressQuickly]) {
      const { gzip, brotli } = await way(bytes);
      assert.deepEqual(gunzipSync(gzip), bytes);
      assert.deepEqual(brotliDecompressSync(brotli), bytes);
    }
  }
});

test("the quick way is larger, until the best is at hand", async () => {
  const bytes = Buffer.concat([text(130_000), Buffer.from(`${process.pid} ${Date.now()}`)]); // large enough to be cached
  const quick = await compressQuickly(bytes);
  const best = await compress(bytes);
  assert.ok(best.brotli.length < quick.brotli.length);
  assert.deepEqual(await compressQuickly(bytes), best);
});

test("where nothing can be kept, it is compressed all the same", async (t) => {
  const said = t.mock.method(console, "error", () => {});
  process.env.XDG_CACHE_HOME = "/dev/null";
  t.after(() => (process.env.XDG_CACHE_HOME = folder));
  const bytes = text(130_000);
  assert.deepEqual(brotliDecompressSync((await compress(bytes)).brotli), bytes);
  assert.match(String(said.mock.calls[0]?.arguments[0]), /^not cached for the next time: .*ENOTDIR/);
});
