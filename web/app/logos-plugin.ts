import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Plugin } from "vite";

const NAME = "virtual:logos";

/** A set of Iconify: drawings by name, and aliases. */
interface Icons {
  icons: Record<string, { body: string; width?: number; height?: number }>;
  aliases?: Record<string, { parent: string }>;
  width: number;
  height: number;
}

const set = (): Icons => JSON.parse(readFileSync(createRequire(import.meta.url).resolve("@iconify-json/token-branded/icons.json"), "utf8")) as Icons;

function drawing({ icons, aliases, width, height }: Icons, name: string): string | null {
  const icon = icons[name] ?? icons[aliases?.[name]?.parent ?? ""];
  return icon ? `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${icon.width ?? width} ${icon.height ?? height}">${icon.body}</svg>` : null;
}

/**
 * Writes the logos of the directory's coins to logos/ next to the page, such as logos/ATOM.svg, and
 * provides the list of them to src/coins/logo.tsx. The page loads only the logos that it displays.
 */
export const logos = (directory: string): Plugin => {
  const found = new Map<string, string>();
  return {
    name: "logos",
    buildStart() {
      const { networks, tokens } = JSON.parse(readFileSync(directory, "utf8")) as Record<"networks" | "tokens", { symbol: string }[]>;
      const icons = set();
      for (const symbol of new Set([...networks, ...tokens].map((coin) => coin.symbol.toUpperCase()))) {
        const svg = drawing(icons, symbol.toLowerCase());
        if (svg !== null) {
          found.set(symbol, svg);
        }
      }
    },
    resolveId: (name) => (name === NAME ? `\0${NAME}` : null),
    load: (name) => (name === `\0${NAME}` ? `export default ${JSON.stringify([...found.keys()].sort().join(" "))};` : null),
    generateBundle() {
      found.forEach((source, symbol) => this.emitFile({ type: "asset", fileName: `logos/${symbol}.svg`, source }));
    },
  };
};
