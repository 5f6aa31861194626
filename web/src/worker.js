/** The script of the dedicated worker in which a page runs its node. */

import { browser } from "./browser.js";
import { serve } from "./thread.js";

serve(/** @type {any} */ (globalThis), browser);
