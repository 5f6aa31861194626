/**
 * Compresses the files that a page loads, either quickly or as small as possible. The latter takes
 * brotli half a minute for the node, so the results are stored in the user's cache by content.
 */

import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

/** The cache is per user, since several clones build the same node. */
const cache = () => path.join(process.env.XDG_CACHE_HOME || path.join(homedir(), process.platform === "darwin" ? "Library/Caches" : ".cache"), "obverse", "compressed");
const large = 1 << 20; // bytes; the minimum size of cached files
const maxFiles = 16; // the maximum number of cached files; the least recently used are removed

/** @type {(bytes: Uint8Array, quality?: number) => Promise<Buffer>} */
const toBrotli = (bytes, quality = constants.BROTLI_MAX_QUALITY) =>
  promisify(brotliCompress)(bytes, {
    params: { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
  });

/** @type {(bytes: Uint8Array) => Promise<Buffer>} */
const toGzip = (bytes) => promisify(gzip)(bytes, { level: 9 });

/** A brotli quality that takes a second for the node and makes it a quarter larger. */
const quick = 5;

/**
 * Compresses quickly, unless the smallest result is cached.
 * @param {Uint8Array} bytes
 * @returns {Promise<{gzip: Buffer, brotli: Buffer}>}
 */
export async function compressQuickly(bytes) {
  const [gzipped, brotli] = await Promise.all([
    found(bytes, ".gz") ?? toGzip(bytes),
    found(bytes, ".br") ?? toBrotli(bytes, quick),
  ]);
  return { gzip: gzipped, brotli };
}

/**
 * Compresses to the smallest size.
 * @param {Uint8Array} bytes
 * @returns {Promise<{gzip: Buffer, brotli: Buffer}>}
 */
export async function compress(bytes) {
  const [gzipped, brotli] = await Promise.all([cached(bytes, ".gz", toGzip), cached(bytes, ".br", toBrotli)]);
  return { gzip: gzipped, brotli };
}

/** @type {(bytes: Uint8Array, suffix: string) => string} */
const fileOf = (bytes, suffix) => path.join(cache(), createHash("sha256").update(bytes).digest("hex") + suffix);

/** Returns the cached result for these bytes. @type {(bytes: Uint8Array, suffix: string) => Buffer | undefined} */
function found(bytes, suffix) {
  const file = fileOf(bytes, suffix);
  try {
    const content = readFileSync(file);
    utimesSync(file, new Date(), new Date());
    return content;
  } catch {
    return undefined; // not cached, or removed
  }
}

/**
 * @param {Uint8Array} bytes
 * @param {string} suffix
 * @param {(bytes: Uint8Array) => Promise<Buffer>} make
 */
async function cached(bytes, suffix, make) {
  if (bytes.length < large) {
    return make(bytes);
  }
  const known = found(bytes, suffix);
  if (known) {
    return known;
  }
  const file = fileOf(bytes, suffix);
  const made = await make(bytes);
  try {
    mkdirSync(cache(), { recursive: true });
    const unfinished = `${file}.${process.pid}`;
    writeFileSync(unfinished, made);
    renameSync(unfinished, file);
    forget();
  } catch (error) {
    console.error(`not cached for the next time: ${error}`); // the user has no writable folder
  }
  return made;
}

/** Removes old files from the cache. */
function forget() {
  const files = readdirSync(cache())
    .filter((name) => /\.(gz|br)$/.test(name))
    .map((name) => path.join(cache(), name));
  const used = (/** @type {string} */ file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const byUse = files.map((file) => ({ file, at: used(file) })).sort((a, b) => b.at - a.at);
  byUse.slice(maxFiles).forEach(({ file }) => rmSync(file, { force: true }));
}
