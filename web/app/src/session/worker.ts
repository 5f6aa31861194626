/**
 * The page's side of public/session-worker.js, which has the session while a tab is loaded
 * again, and the page's own files. A browser without service workers, or one that forbids
 * them, asks for the password after each reload of the last tab, and needs a network to start.
 */

import { signal } from "@preact/signals";
import type { Session } from "./kept.ts";
import type { Secrets } from "./profile.ts";

const TIMEOUT = 3000; // ms for a worker that has to be started

let registration: ServiceWorkerRegistration | undefined;

const scope = () => new URL("./", document.baseURI).href;

/** Has the worker ready before a tab goes. */
export async function prepare(): Promise<void> {
  try {
    registration ??= await navigator.serviceWorker?.register(new URL("session-worker.js", scope()), { scope: scope(), updateViaCache: "none" });
  } catch {
    // The browser does not let it run.
  }
}

/** Has the worker keep what the page has loaded by now. From when it controls the page on, it sees what is loaded. */
export async function keepLoaded(): Promise<void> {
  const { active } = (await navigator.serviceWorker?.ready) ?? {};
  const loaded = performance.getEntriesByType("resource").flatMap(({ name }) => (name.startsWith(scope()) ? [name] : []));
  active?.postMessage({ loaded });
}
navigator.serviceWorker?.addEventListener("controllerchange", () => void keepLoaded());

/** Whether a newer build of the page is kept, which the next start has. */
export const newer = signal(false);
navigator.serviceWorker?.addEventListener("message", ({ data }) => (newer.value ||= data.newer === true));

// A page may be open for weeks: coming back to it asks the server for a newer build.
document.addEventListener("visibilitychange", () => void (document.visibilityState === "visible" && registration?.update().catch(() => {})));

const tell = (message: unknown, ports: Transferable[] = []) => registration?.active?.postMessage(message, ports);

/** Leaves the session to the page that takes this one's place and has the ticket. */
export const hold = (session: Session, ticket: string) => tell({ hold: { ...session, ticket } });

/** Forgets a session that was locked. */
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

/** Ends the worker with all it has, and removes the files that it keeps. */
export async function removeWorker(): Promise<void> {
  const found = registration ?? (await navigator.serviceWorker?.getRegistration(scope()));
  registration = undefined;
  if (found?.scope === scope()) {
    await found.unregister();
  }
  const names = (await globalThis.caches?.keys()) ?? [];
  await Promise.all(names.filter((name) => name.startsWith(`obverse-shell ${new URL(scope()).pathname} `)).map((name) => caches.delete(name)));
}
