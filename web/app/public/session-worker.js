/**
 * Carries an open session over the reload of its tab, in memory alone. A tab that goes
 * leaves its session here with a ticket, which is in that tab's sessionStorage alone; the
 * page that takes its place has ten seconds to claim it. This service worker handles no
 * requests of the page. See src/session/worker.ts.
 */

const HOLD = 10_000; // ms; Chromium ends a service worker after about 30 s without events
const PATIENCE = 1000; // ms: a page may claim before the one it replaces has gone

/** @type {{id: string, secrets: unknown, tickets: Set<string>} | null} */
let held = null;
/** Ends the wait of what was held before. */
let settle = () => {};
/** Looks for a session again, for claims that came before it. @type {Set<() => void>} */
const waiting = new Set();
/** Sessions that were locked: what a tab leaves of them late is not taken. @type {Set<string>} */
const dropped = new Set();

/** Whether a client is a window of the wallet page, and in no frame. */
function isPage(client) {
  const { origin, pathname } = new URL(client.url);
  const scope = new URL(registration.scope);
  return client.type === "window" && client.frameType !== "nested" && origin === scope.origin && [scope.pathname, `${scope.pathname}index.html`].includes(pathname);
}

async function hold({ id, ticket, secrets }) {
  if (dropped.has(id)) {
    return;
  }
  settle();
  const tickets = held?.id === id ? held.tickets : new Set();
  held = { id, secrets, tickets: tickets.add(ticket) };
  waiting.forEach((look) => look());
  await new Promise((resolve) => {
    const expiry = setTimeout(forget, HOLD);
    settle = () => {
      clearTimeout(expiry);
      resolve();
    };
  });
}

function forget() {
  held = null;
  settle();
}

function drop(id) {
  dropped.add(id);
  if (held?.id === id) {
    forget();
  }
}

async function claim({ id, ticket }, port) {
  const has = () => held?.id === id && held.tickets.has(ticket);
  await new Promise((resolve) => {
    const look = () => has() && resolve();
    waiting.add(look);
    look();
    setTimeout(() => resolve(waiting.delete(look)), PATIENCE);
  });
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
