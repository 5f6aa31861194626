import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { parts } from "../parts.js";
import { newContext } from "./contexts.js";
import { config, folder, owner, serveFolder, web } from "./support.js";

const quiet = ["--no-audit", "--no-fund", "--loglevel=error"];
const npm = (/** @type {string} */ cwd, /** @type {string[]} */ ...args) => execFileSync("npm", [...args, ...quiet], { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });

/**
 * The package as packed by npm, and the folder in which npm installed it.
 * @type {{at: string, installed: string, files: string[], size: number, unpackedSize: number}}
 */
let tarball;

before(() => {
  const at = mkdtempSync(path.join(tmpdir(), "obverse-"));
  const [{ filename, files, size, unpackedSize }] = JSON.parse(npm(at, "pack", web, "--json", "--pack-destination", at));
  const first = path.join(at, "first");
  cpSync(path.join(web, "test/projects/node"), first, { recursive: true });
  npm(first, "install", "--no-save", "--offline", path.join(at, filename));
  tarball = { at, installed: path.join(first, "node_modules/obverse"), files: files.map((file) => file.path), size, unpackedSize };
});
after(() => rmSync(tarball.at, { recursive: true, force: true }));

/**
 * Creates a project outside of the repository with the package as npm installs it, which is done once, and the
 * project's build tools.
 * @param {import("node:test").TestContext} t
 * @param {string} name
 */
function project(t, name) {
  const at = folder(t);
  cpSync(path.join(web, "test/projects", name), at, { recursive: true });
  writeFileSync(path.join(at, "config.js"), `export const config = ${JSON.stringify(config())};\n`);
  if (statSync(path.join(at, "package-lock.json"), { throwIfNoEntry: false })) {
    npm(at, "ci", "--prefer-offline", "--ignore-scripts");
  }
  cpSync(tarball.installed, path.join(at, "node_modules/obverse"), { recursive: true });
  return at;
}

/** Returns the expected results of every project's calls. */
const answers = (storage) => [owner.publicKey, 1, 64, storage];

/**
 * Opens a page of a project, served with a strict policy.
 * @param {import("node:test").TestContext} t
 * @param {string} root
 */
async function visit(t, root) {
  const site = await serveFolder(root);
  t.after(() => site.close());
  const context = await newContext(t);
  const said = [];
  context.on("console", (message) => said.push(message.text()));
  context.on("weberror", (error) => said.push(String(error.error())));
  const page = await context.newPage();
  await page.goto(site.url);
  const given = await page.evaluate(() => globalThis.answers);
  assert.deepEqual(said, []);
  return given;
}

test("what npm packs", (t) => {
  const { files, size, unpackedSize } = tarball;
  for (const needed of ["dist/obverse.wasm", ...Object.keys(parts).map((part) => `dist/obverse.${part}.wasm`), "dist/index.js", "dist/index-node.js", "dist/worker.js", "dist/mmrpc.d.ts", "dist/daemon.d.ts", "dist/types/index.d.ts", "openrpc.json", "README.md"]) {
    assert(files.includes(needed), needed);
  }
  assert.deepEqual(
    files.filter((file) => !/^(dist\/[\w-]+\.js|dist\/obverse(\.\w+)?\.wasm|dist\/(mmrpc|daemon)\.d\.ts|dist\/types\/[\w/-]+\.d\.ts|openrpc\.json|package\.json|README\.md)$/.test(file)),
    [],
    "no unneeded files",
  );
  t.diagnostic(`${size} bytes packed, ${unpackedSize} unpacked`);
});

test("a Node script", (t) => {
  const at = project(t, "node");
  const [given, rest] = execFileSync(process.execPath, ["program.js"], { cwd: at, encoding: "utf8" }).split("\n");
  assert.deepEqual(JSON.parse(given), answers("memory"));
  assert.equal(rest, "function 0");
});

test("a page without a builder", async (t) => {
  assert.deepEqual(await visit(t, project(t, "script")), answers("opfs"));
});

test("a page with a worker of its own", async (t) => {
  assert.deepEqual(await visit(t, project(t, "worker")), answers("opfs"));
});

test("a Vite app", async (t) => {
  const at = project(t, "vite");
  npm(at, "run", "build");
  assert.deepEqual(await visit(t, path.join(at, "dist")), answers("opfs"));
});

test("a webpack app", async (t) => {
  const at = project(t, "webpack");
  npm(at, "run", "build");
  cpSync(path.join(at, "index.html"), path.join(at, "dist/index.html"));
  assert.deepEqual(await visit(t, path.join(at, "dist")), answers("opfs"));
});

test("programs in TypeScript", (t) => {
  const at = project(t, "node");
  mkdirSync(path.join(at, "src"));
  cpSync(path.join(web, "test/types"), path.join(at, "src"), { recursive: true });
  const tsc = path.join(web, "node_modules/typescript/bin/tsc");
  for (const resolution of [["--module", "nodenext"], ["--module", "esnext", "--moduleResolution", "bundler"]]) {
    execFileSync(process.execPath, [tsc, "-p", "src", ...resolution], { cwd: at, stdio: ["ignore", "inherit", "inherit"] });
  }
});
