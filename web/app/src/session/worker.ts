/**
 * The page's side of public/session-worker.js, which holds the session while a tab is
 * reloaded, and caches the page's files. If the browser lacks service workers or forbids
 * them, the password is needed after each reload of the last tab, and a network at each start.
 */

import { signal } from "@preact/signals";
import type { Secrets, Session } from "./profile.ts";

const TIMEOUT = 3000; // ms for a worker that has to be started

let registration: ServiceWorkerRegistration | undefined;

const scope = () => new URL("./", document.baseURI).href;

/** Starts the worker before a tab is closed. */
export async function prepare(): Promise<void> {
  try {
    registration ??= await navigator.serviceWorker?.register(new URL("session-worker.js", scope()), { scope: scope(), updateViaCache: "none" });
  } catch {
    // The browser does not allow it.
  }
}

/** Has the worker cache what the page has already loaded. Once it controls the page, it sees all requests. */
export async function keepLoaded(): Promise<void> {
  const { active } = (await navigator.serviceWorker?.ready) ?? {};
  const loaded = performance.getEntriesByType("resource").flatMap(({ name }) => (name.startsWith(scope()) ? [name] : []));
  active?.postMessage({ loaded });
}
navigator.serviceWorker?.addEventListener("controllerchange", () => void keepLoaded());

/** Whether a newer build of the page is cached, for the next start. */
export const newer = signal(false);
navigator.serviceWorker?.addEventListener("message", ({ data }) => (newer.value ||= data.newer === true));

// A page may be open for weeks: returning to it checks the server for a newer build.
document.addEventListener("visibilitychange", () => void (document.visibilityState === "visible" && registration?.update().catch(() => {})));

const tell = (message: unknown, ports: Transferable[] = []) => registration?.active?.postMessage(message, ports);

/** Leaves the session to the page that replaces this one and has the ticket. */
export const hold = (session: Session, ticket: string) => tell({ hold: { ...session, ticket } });

/** Removes a session that was locked. */
export const drop = (id: string) => tell({ drop: id });

/** Returns the session that this tab left before it was reloaded; null if it is gone. */
export async function claim(id: string, ticket: string): Promise<Secrets | null> {
  registration ??= await navigator.serviceWorker?.getRegistration(scope()).catch(() => undefined);
  if (!registration?.active || registration.scope !== scope()) {
    return null;
  }
  const { port1, port2 } = new MessageChannel();
  const answer = new Promise<Secrets | null>((resolve) => {
    port1.onmessage = ({ data }: MessageEvent<Secrets | null>) => resolve(data);
    setTimeout(resolve, TIMEOUT, null);
  });
  tell({ claim: { id, ticket } }, [port2]);
  return answer.finally(() => port1.close());
}

/** Stops the worker, and removes its session and cached files. */
export async function removeWorker(): Promise<void> {
  const found = registration ?? (await navigator.serviceWorker?.getRegistration(scope()));
  registration = undefined;
  if (found?.scope === scope()) {
    await found.unregister();
  }
  const names = (await globalThis.caches?.keys()) ?? [];
  await Promise.all(names.filter((name) => name.startsWith(`obverse-shell ${new URL(scope()).pathname} `)).map((name) => caches.delete(name)));
}
