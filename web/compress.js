/**
 * Compresses what a page loads, each at its best. Brotli takes half a minute for the
 * node, so what was compressed once is kept in .cache/, by its content.
 */

import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

const cache = fileURLToPath(new URL(".cache", import.meta.url));
const large = 1 << 20; // bytes, from which on it is kept
const most = 6; // files that are kept, those that were used last

/** @type {(bytes: Uint8Array) => Promise<Buffer>} */
const toBrotli = (bytes) =>
  promisify(brotliCompress)(bytes, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
  });

/** @type {(bytes: Uint8Array) => Promise<Buffer>} */
const toGzip = (bytes) => promisify(gzip)(bytes, { level: 9 });

/**
 * @param {Uint8Array} bytes
 * @returns {Promise<{gzip: Buffer, brotli: Buffer}>}
 */
export async function compress(bytes) {
  const [gzipped, brotli] = await Promise.all([kept(bytes, ".gz", toGzip), kept(bytes, ".br", toBrotli)]);
  return { gzip: gzipped, brotli };
}

/**
 * @param {Uint8Array} bytes
 * @param {string} suffix
 * @param {(bytes: Uint8Array) => Promise<Buffer>} make
 */
async function kept(bytes, suffix, make) {
  if (bytes.length < large) {
    return make(bytes);
  }
  const file = path.join(cache, createHash("sha256").update(bytes).digest("hex") + suffix);
  try {
    const found = readFileSync(file);
    utimesSync(file, new Date(), new Date());
    return found;
  } catch {
    // It was never made, or is kept no more.
  }
  const made = await make(bytes);
  mkdirSync(cache, { recursive: true });
  const unfinished = `${file}.${process.pid}`;
  writeFileSync(unfinished, made);
  renameSync(unfinished, file);
  forget();
  return made;
}

/** Keeps the cache small. */
function forget() {
  const files = readdirSync(cache)
    .filter((name) => /\.(gz|br)$/.test(name))
    .map((name) => path.join(cache, name));
  const used = (/** @type {string} */ file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const byUse = files.map((file) => ({ file, at: used(file) })).sort((a, b) => b.at - a.at);
  byUse.slice(most).forEach(({ file }) => rmSync(file, { force: true }));
}
