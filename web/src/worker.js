/** The script of the dedicated worker in which a page runs its node. */

import { browser } from "./browser.js";
import { serve } from "./thread.js";

/** Another worker of this script. */
const helper = () => {
  const worker = new Worker(location.href, { type: "module", name: "obverse helper" });
  return { port: worker, end: () => worker.terminate() };
};

serve(/** @type {any} */ (globalThis), { ...browser, ...(typeof Worker === "function" && { helper }) });
