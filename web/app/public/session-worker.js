/**
 * The page's service worker. It carries an open session over the reload of its tab, in memory alone, and it keeps the
 * page's own files, so that the page starts without a network. It handles no other requests.
 *
 * Session: a tab that goes leaves its session here with a ticket, which is in that tab's sessionStorage alone; the page
 * that takes its place has ten seconds to claim it. See src/session/worker.ts.
 *
 * Files: a page that runs has them loaded. Each build has a cache of its own, which is complete before it is used. A start gets all of one build:
 * index.html is that of the newest complete one, and the address of any script or program has a hash of its content.
 */

// Written by ../shell-plugin.ts: the files of this build with their SHA-256, and those that are kept once they were loaded.
const BUILD = { version: "", shell: {}, later: [] };

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

/** Whether an address is that of the page. @param {URL} url */
function isStart({ origin, pathname }) {
  const scope = new URL(registration.scope);
  return origin === scope.origin && [scope.pathname, `${scope.pathname}index.html`].includes(pathname);
}

/** Whether a client is a window of the wallet page, and in no frame. */
const isPage = (client) => client.type === "window" && client.frameType !== "nested" && isStart(new URL(client.url));

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

/** The caches of this page's builds: another copy of it may be in another folder of the site. */
const PREFIX = `obverse-shell ${new URL(registration.scope).pathname} `;
const CACHE = PREFIX + BUILD.version;

const at = (/** @type {string} */ name) => new URL(name, registration.scope).href;
/** Stands in a cache that has all of its build. */
const MARK = at("?complete");

const shell = new Map(Object.entries(BUILD.shell).map(([name, hash]) => [at(name), hash]));
const later = new Set(BUILD.later.map(at));

/** An answer of the server, if it is the file of this build. */
async function load(url, hash) {
  const answer = await fetch(url, { cache: url.includes("/assets/") ? "default" : "no-cache", credentials: "same-origin" });
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", await answer.clone().arrayBuffer()));
  if (!answer.ok || [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("") !== hash) {
    throw new Error(`${url} is not the file of this build`);
  }
  return answer;
}

/** Keeps the files of this build, once, and has pages of an earlier one offer it. A server that changes files has its page without this. */
async function fill() {
  const earlier = await complete();
  const cache = await caches.open(CACHE);
  if (BUILD.version === "" || (await cache.match(MARK))) {
    return;
  }
  await Promise.all([...shell].map(async ([url, hash]) => (await cache.match(url)) ?? cache.put(url, await load(url, hash))));
  await cache.put(MARK, new Response());
  if (earlier) {
    (await clients.matchAll({ type: "window", includeUncontrolled: true })).forEach((client) => isPage(client) && client.postMessage({ newer: true }));
  }
}

const builds = async () => (await caches.keys()).filter((name) => name.startsWith(PREFIX));

/** A complete build: this one, or else an earlier one; null: no build is complete. */
async function complete() {
  for (const name of [CACHE, ...(await builds())]) {
    const cache = (await caches.has(name)) && (await caches.open(name));
    if (cache && (await cache.match(MARK))) {
      return cache;
    }
  }
  return null;
}

/** The page itself. */
const start = async (request) => (await (await complete())?.match(at(""))) ?? fetch(request);

/** A file by an address that stands for one content. */
async function file(event) {
  const { request } = event;
  for (const name of [CACHE, ...(await builds())]) {
    const kept = await caches.match(request.url, { cacheName: name });
    if (kept) {
      return kept;
    }
  }
  const answer = await fetch(request);
  if (answer.status === 200 && later.has(request.url)) {
    event.waitUntil(keep(request.url, answer.clone()));
  }
  return answer;
}

/** Keeps a file. A browser without room for it does without. */
const keep = async (url, answer) => (await caches.open(CACHE)).put(url, answer).catch(() => {});

/** Keeps the files of this build, and what a page has loaded before this worker saw it; removes builds that no page uses any more. */
async function loaded(urls) {
  await fill().catch(() => {});
  for (const url of urls.filter((url) => later.has(url))) {
    if (!(await caches.match(url, { cacheName: CACHE }))) {
      const answer = await fetch(url, { credentials: "same-origin" }).catch(() => null);
      answer?.status === 200 && (await keep(url, answer));
    }
  }
  const isMine = urls.filter((url) => url.startsWith(at("assets/"))).every((url) => shell.has(url) || later.has(url));
  const windows = await clients.matchAll({ type: "window", includeUncontrolled: true });
  if (isMine && windows.length === 1 && (await caches.match(MARK, { cacheName: CACHE }))) {
    await Promise.all((await builds()).map((name) => name !== CACHE && caches.delete(name)));
  }
}

// A tab may leave its session here in the next moment, so the files are loaded when the page runs.
addEventListener("install", () => void skipWaiting());

addEventListener("activate", (event) => event.waitUntil(clients.claim()));

addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || BUILD.version === "") {
    return;
  }
  if (request.mode === "navigate") {
    isStart(new URL(request.url)) && event.respondWith(start(request));
  } else if (shell.has(request.url) || later.has(request.url) || request.url.startsWith(at("assets/"))) {
    event.respondWith(file(event));
  }
});

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
  } else if (data.loaded && source && isPage(source)) {
    event.waitUntil(loaded(data.loaded));
  }
});
