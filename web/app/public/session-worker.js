/**
 * Carries an open session over the reload of its tab, in memory alone. A tab that goes
 * leaves its session here; the page that takes its place has ten seconds to claim it. This
 * service worker handles no requests of the page. See src/session/worker.ts.
 */

const HOLD = 10_000; // ms; Chromium ends a service worker after about 30 s without events
const PATIENCE = 1000; // ms: a page may claim before the one it replaces has gone

/** @type {{id: string, secrets: unknown} | null} */
let held = null;
let expiry = 0;
/** What waits for sessions. @type {Set<() => void>} */
const waiting = new Set();
/** Sessions that were locked: what a tab leaves of them late is not taken. @type {Set<string>} */
const dropped = new Set();

const sleep = (/** @type {number} */ ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Whether a client is a window of the wallet page, and in no frame. */
function isPage(client) {
  const { origin, pathname } = new URL(client.url);
  const scope = new URL(registration.scope);
  return client.type === "window" && client.frameType !== "nested" && origin === scope.origin && [scope.pathname, `${scope.pathname}index.html`].includes(pathname);
}

async function hold(session) {
  if (dropped.has(session.id)) {
    return;
  }
  held = session;
  clearTimeout(expiry);
  waiting.forEach((look) => look());
  await new Promise((resolve) => {
    expiry = setTimeout(() => {
      held = null;
      resolve();
    }, HOLD);
  });
}

function drop(id) {
  dropped.add(id);
  if (held?.id === id) {
    held = null;
  }
}

async function claim(id, port) {
  const has = () => held?.id === id;
  if (!has()) {
    await Promise.race([sleep(PATIENCE), new Promise((resolve) => waiting.add(resolve))]);
    waiting.clear();
  }
  port.postMessage(has() ? held.secrets : null);
}

addEventListener("install", () => void skipWaiting());

addEventListener("message", (event) => {
  const { data, origin, source, ports } = event;
  if (origin !== location.origin) {
    return;
  }
  if (data.hold) {
    event.waitUntil(hold(data.hold));
  } else if (data.drop) {
    drop(data.drop);
  } else if (data.claim && source && isPage(source)) {
    event.waitUntil(claim(data.claim, ports[0]));
  }
});
