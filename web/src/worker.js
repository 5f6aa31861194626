/** The script of the dedicated worker that runs the node of a page. */

import { browser } from "./browser.js";
import { serve } from "./thread.js";

/** Starts another worker with this script. */
const helper = () => {
  const worker = new Worker(location.href, { type: "module", name: "obverse helper" });
  return { port: worker, end: () => worker.terminate() };
};

serve(/** @type {any} */ (globalThis), { ...browser, ...(typeof Worker === "function" && { helper }) });
