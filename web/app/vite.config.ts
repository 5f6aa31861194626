import { statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";
import { logos } from "./logos-plugin.ts";
import { shell } from "./shell-plugin.ts";
import { words } from "./words-plugin.ts";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const PARTS = /\/src\/(?:money|ui\/(?:address|amount|button|check|copy|dialog|fact|field|focus|form|outside|password|short|shortaddress|tail|task|rich|when|every))\.tsx?$/;

// Modules that load only modules of the first script, so that no two scripts wait for each other:
// operations on wallets, and code that is rarely needed.
const WALLETS = /\/src\/session\/(wallets|wipe|join|lost)\.ts$/;
const SELDOM = /\/src\/(views\/(badlink|exposed|lost)|session\/(legacy|onetime|scrub))\.tsx?$/;

const LEAVES = /\/src\/(coins\/(addresses|meaning|nodetask|relayfault|watched)|decimal|exact)\.tsx?$/;

/**
 * The config of the wallet page. The page can be served from any folder, so the base is relative.
 * Its policy forbids inline scripts and styles, so assets are not inlined.
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
    chunkSizeWarningLimit: 1000, // web/budget.json limits the sizes
    rolldownOptions: {
      checks: { pluginTimings: false },
      // Small modules that most views use are in one script, which compresses better and takes one
      // request.
      output: { codeSplitting: { includeDependenciesRecursively: false, groups: [{ name: "parts", test: PARTS }, { name: "leaves", test: LEAVES }, { name: "wallets", test: WALLETS }, { name: "seldom", test: SELDOM }, { name: "design-texts", test: /\/words\/[a-z]+\.json\?design$/ }] } },
    },
  },
});
