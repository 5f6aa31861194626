import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { HtmlTagDescriptor, Plugin } from "vite";
import { full, png, rounded, svg } from "./icons.ts";

/** Matches the line of public/session-worker.js that is replaced by the list of files. */
const PLACE = /^const BUILD = .*$/m;

/**
 * Files that are cached once they are loaded: the program and its parts, logos, and files that only some users need. All others are cached
 * when a wallet is first opened.
 */
const WHEN_LOADED = /\.(wasm|json)$|^logos\/|^assets\/(strength|de)-/;

/** Files that are not cached: the worker itself, and icons that only launchers request. */
const LEFT_OUT = /^session-worker\.js$|^(icon-|apple-).*\.png$/;

const manifest = {
  name: "Obverse",
  short_name: "Obverse",
  description: "A wallet for Cosmos, EVM and token chains that runs in your browser",
  id: "./",
  start_url: "./",
  scope: "./",
  display: "standalone",
  background_color: "#ffffff",
  theme_color: "#0b5cad",
  icons: [
    { src: "icon.svg", sizes: "any", type: "image/svg+xml" },
    { src: "icon-192.png", sizes: "192x192", type: "image/png" },
    { src: "icon-512.png", sizes: "512x512", type: "image/png" },
    { src: "icon-maskable-512.png", sizes: "512x512", type: "image/png", purpose: "maskable" },
  ],
};

const files: Record<string, () => string | Buffer> = {
  "manifest.webmanifest": () => JSON.stringify(manifest),
  "icon.svg": () => svg(rounded),
  "icon-192.png": () => png(192, rounded),
  "icon-512.png": () => png(512, rounded),
  "icon-maskable-512.png": () => png(512, full),
  "apple-touch-icon.png": () => png(180, full),
};

const link = (rel: string, href: string, more: Record<string, string> = {}): HtmlTagDescriptor => ({ tag: "link", attrs: { rel, href, ...more }, injectTo: "head" });
const tags = [link("icon", "./icon.svg", { type: "image/svg+xml" }), link("apple-touch-icon", "./apple-touch-icon.png"), link("manifest", "./manifest.webmanifest")];

const hash = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");

/** Returns all files in a folder, with slashes in their paths. */
const filesOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, "/"))
    .sort();

/**
 * Makes the page installable and able to start without a network: writes its manifest and icons, and provides the list
 * of its files to public/session-worker.js. A script without a hash in its name gets one as a query, theme.js?v=…, so
 * that the URL of a script always stands for the same content.
 * @param theme the script that index.html loads by name
 */
export const shell = (theme: string): Plugin => {
  let folder = "";
  const query = `?v=${hash(readFileSync(theme)).slice(0, 8)}`;
  const script = path.basename(theme);
  return {
    name: "shell",
    apply: "build",
    configResolved: ({ root, build }) => void (folder = path.resolve(root, build.outDir)),
    transformIndexHtml: (html) => {
      if (!html.includes(`src="./${script}"`)) {
        throw new Error(`index.html does not load ./${script}`);
      }
      return { html: html.replace(`src="./${script}"`, `src="./${script}${query}"`), tags };
    },
    generateBundle() {
      Object.entries(files).forEach(([fileName, source]) => this.emitFile({ type: "asset", fileName, source: source() }));
    },
    writeBundle: {
      order: "post",
      sequential: true,
      handler() {
        const worker = path.join(folder, "session-worker.js");
        const all = filesOf(folder).filter((name) => !LEFT_OUT.test(name));
        const address = (name: string) => (name === "index.html" ? "" : name === script ? script + query : name);
        const hashes = Object.fromEntries(all.filter((name) => !WHEN_LOADED.test(name)).map((name) => [address(name), hash(readFileSync(path.join(folder, name)))]));
        const later = all.filter((name) => WHEN_LOADED.test(name));
        const version = hash(Buffer.from(JSON.stringify([hashes, later]))).slice(0, 16);
        const source = readFileSync(worker, "utf8");
        if (!PLACE.test(source)) {
          throw new Error(`${worker} has no line for what the build made`);
        }
        writeFileSync(worker, source.replace(PLACE, `const BUILD = ${JSON.stringify({ version, shell: hashes, later })};`));
      },
    },
  };
};
