/** The symbols of the coins that have a logo, with spaces between them: ../logos-plugin.ts. */
declare module "virtual:logos" {
  const symbols: string;
  export default symbols;
}

/** How many bytes the node's program has: ../vite.config.ts. */
declare const __PROGRAM_BYTES__: number;

/** Catalogues of texts, or a part of one: ../words-plugin.ts. */
declare module "*.json?start" {
  const texts: import("./language.ts").Lines;
  export default texts;
}
declare module "*.json?usual" {
  const texts: import("./language.ts").Lines;
  export default texts;
}
declare module "*.json?more" {
  const texts: import("./language.ts").Lines;
  export default texts;
}
declare module "*.json?design" {
  const texts: import("./language.ts").Lines;
  export default texts;
}
declare module "*.json?begin" {
  const texts: import("./language.ts").Lines;
  export default texts;
}
