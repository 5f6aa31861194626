/** The script of the worker thread that runs a node in Node. */

import { parentPort } from "node:worker_threads";
import { nodejs } from "./nodejs.js";
import { serve } from "./thread.js";

const parent = /** @type {import("node:worker_threads").MessagePort} */ (parentPort);

serve(
  {
    postMessage: (message) => parent.postMessage(message),
    set onmessage(/** @type {any} */ take) {
      parent.removeAllListeners("message");
      if (take) {
        parent.on("message", (data) => take({ data }));
      }
    },
  },
  nodejs,
);
