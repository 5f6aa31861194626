/**
 * Copies the built wallet page, dist/app, to native/webpage, from which the native program embeds
 * it. Each file is compressed by gzip and by brotli. A release (RELEASE=yes) uses the slowest
 * compression.
 */

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { compress, compressQuickly } from "./compress.js";

const at = (/** @type {string} */ to) => fileURLToPath(new URL(to, import.meta.url));
const from = at("dist/app");
const to = at("../native/webpage/dist");
const index = "index.html";

/** Returns the paths of all files in a folder, with slashes. @type {(folder: string) => string[]} */
const filesOf = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath ?? entry.path, entry.name)).replaceAll(path.sep, "/"));

/** Matches the files in assets/ that the program marks as immutable for browsers. */
const hashed = /^assets\/.*-[\w-]{8}\.\w+$/;

const release = process.env.RELEASE === "yes";
if (release) {
  console.error("compressing the wallet page (a changed node takes half a minute)");
}
const pack = release ? compress : compressQuickly;
const names = filesOf(from);
for (const name of names) {
  if (name.startsWith("assets/") && !hashed.test(name)) {
    throw new Error(`${name} has no hash of its content in its name`);
  }
}
if (!names.includes(index)) {
  throw new Error(`${from} has no ${index}`);
}
const written = new Set(["README"]);
names.sort((a, b) => Number(a === index) - Number(b === index)); // last, since its presence means that the page is complete
for (const name of names) {
  const { gzip, brotli } = await pack(readFileSync(path.join(from, name)));
  mkdirSync(path.dirname(path.join(to, name)), { recursive: true });
  for (const [suffix, bytes] of /** @type {const} */ ([[".br", brotli], [".gz", gzip]])) {
    writeFileSync(path.join(to, name + suffix), bytes);
    written.add(name + suffix);
  }
}
for (const name of filesOf(to)) {
  if (!written.has(name)) {
    rmSync(path.join(to, name));
  }
}
