// The page that the tests drive. It exposes the package's functions.
import { init } from "/dist/index.js";
import * as upstream from "/dist/upstream-browser.js";

const query = new URLSearchParams(location.search);

globalThis.obverse = { init, upstream };
globalThis.logs = [];
globalThis.violations = [];
document.addEventListener("securitypolicyviolation", (event) => globalThis.violations.push(`${event.violatedDirective} ${event.blockedURI}`));
// Start immediately if a config is given, so that the time from navigation on can be measured.
if (query.has("config")) {
  const start = async () => {
    const config = JSON.parse(query.get("config"));
    globalThis.node = await init({ config, storage: query.get("storage") ?? "auto", log: (level, line) => globalThis.logs.push(`${level} ${line}`) });
    const { public_key } = await globalThis.node.rpc("get_public_key");
    globalThis.firstAnswer = performance.now();
    return public_key;
  };
  globalThis.begin = () => {
    globalThis.begun = start();
    globalThis.begun.catch(() => {});
  };
  if (!query.has("later")) {
    globalThis.begin();
  }
}
