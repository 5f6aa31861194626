// The page that the tests drive: it offers the package's functions to them.
import { init } from "/dist/index.js";
import * as upstream from "/dist/upstream-browser.js";

const query = new URLSearchParams(location.search);

globalThis.obverse = { init, upstream };
globalThis.logs = [];
globalThis.violations = [];
document.addEventListener("securitypolicyviolation", (event) => globalThis.violations.push(`${event.violatedDirective} ${event.blockedURI}`));
// What a test wants at once, so that it can be timed from navigation on.
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
