import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { folder, web } from "./support.js";

const installed = "node_modules/dependency/index.js";

/**
 * Creates a folder with a dependency, like a clone of the repository, and installs it.
 * @param {string} top
 * @param {string} name
 * @param {string} [version] the version of the dependency, also in the lock file
 */
function clone(top, name, version = "1.0.0") {
  const at = path.join(top, name);
  mkdirSync(path.join(at, "dependency"), { recursive: true });
  const write = (file, content) => writeFileSync(path.join(at, file), typeof content === "string" ? content : JSON.stringify(content));
  write("dependency/package.json", { name: "dependency", version });
  write("dependency/index.js", `// ${version}\n`);
  const dependencies = { dependency: "file:dependency" };
  write("package.json", { name: "clone", version: "1.0.0", dependencies });
  write(".npmrc", "install-links=true\n");
  write("package-lock.json", { name: "clone", version: "1.0.0", lockfileVersion: 3, requires: true, packages: { "": { name: "clone", version: "1.0.0", dependencies }, "node_modules/dependency": { version, resolved: "file:dependency" } } });
  execFileSync("sh", [path.join(web, "packages.sh"), at], { env: { ...process.env, XDG_CACHE_HOME: path.join(top, "cache") }, stdio: ["ignore", "ignore", "inherit"] });
  return path.join(at, installed);
}

test("packages come from the cache as copies, for the lock file that npm installed", (t) => {
  const top = folder(t);
  const cache = path.join(top, "cache/obverse/packages");
  const first = clone(top, "first");
  const [key, ...others] = readdirSync(cache);
  assert.match(key, /^[0-9a-f]{64}$/);
  assert.deepEqual(others, []);
  appendFileSync(first, "changed in place\n");
  const cached = path.join(cache, key, "dependency/index.js");
  appendFileSync(cached, "// from the cache\n");
  const second = clone(top, "second");
  assert.equal(readFileSync(second, "utf8"), "// 1.0.0\n// from the cache\n");
  assert.deepEqual([first, second, cached].map((file) => statSync(file).nlink), [1, 1, 1]);
  const third = clone(top, "third", "1.0.1");
  assert.equal(readFileSync(third, "utf8"), "// 1.0.1\n");
  assert.equal(readdirSync(cache).length, 2);
  assert(existsSync(path.join(cache, key)));
});
