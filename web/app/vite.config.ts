import { statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";
import { logos } from "./logos-plugin.ts";
import { shell } from "./shell-plugin.ts";
import { words } from "./words-plugin.ts";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const PARTS = /\/src\/(?:money|ui\/(?:address|amount|button|check|copy|dialog|fact|field|focus|form|outside|password|short|shortaddress|tail|task|rich|when|every))\.tsx?$/;

// Modules that load only those of the first script, so that no two scripts wait for each other.
// Operations on wallets, and what is seldom needed.
const WALLETS = /\/src\/session\/(wallets|wipe|join|lost)\.ts$/;
const SELDOM = /\/src\/(views\/(badlink|exposed|lost)|session\/(legacy|onetime|scrub))\.tsx?$/;

const LEAVES = /\/src\/(coins\/(addresses|meaning|nodetask|relayfault|watched)|decimal|exact)\.tsx?$/;

/**
 * The wallet page. It is served from any folder, hence the relative base; and under a
 * policy without inline scripts and styles, hence no inlined assets.
 */
export default defineConfig({
  root: here("."),
  base: "./",
  plugins: [words(), logos(here("../../core/wallet/directory/directory.json")), shell(here("public/theme.js"))],
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  define: { __PROGRAM_BYTES__: statSync(here("../dist/obverse.wasm")).size },
  worker: { format: "es" },
  build: {
    outDir: here("../dist/app"),
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1000, // web/budget.json bounds the sizes
    rolldownOptions: {
      checks: { pluginTimings: false },
      // Small parts that most views have: together they compress better, and are one request.
      output: { codeSplitting: { includeDependenciesRecursively: false, groups: [{ name: "parts", test: PARTS }, { name: "leaves", test: LEAVES }, { name: "wallets", test: WALLETS }, { name: "seldom", test: SELDOM }, { name: "design-texts", test: /\/words\/[a-z]+\.json\?design$/ }] } },
    },
  },
});
