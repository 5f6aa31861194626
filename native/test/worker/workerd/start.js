/** Starts workerd for the programs of this folder. */

import path from "node:path";
import { fileURLToPath } from "node:url";
import { Log, LogLevel, Miniflare } from "miniflare";

/** This folder. */
export const here = path.dirname(fileURLToPath(import.meta.url));

/** Starts workerd with its data in a folder and more options of Miniflare. What it prints goes to standard error. */
export const start = (folder, options) =>
  new Miniflare({
    host: "127.0.0.1",
    port: 0,
    cf: false,
    log: new Log(LogLevel.ERROR),
    handleRuntimeStdio(out, err) {
      out.pipe(process.stderr);
      err.pipe(process.stderr);
    },
    compatibilityDate: "2026-04-01",
    durableObjectsPersist: folder,
    ...options,
  });
