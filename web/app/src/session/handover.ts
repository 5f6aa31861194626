/**
 * How a tab gets the open session from another one: it asks with a public key, and the
 * answer is encrypted for that key. Nothing that could be kept of these messages opens
 * the wallet.
 */

import { keyPair, seal, sharedKey, unseal, type Sealed } from "./crypto.ts";
import type { Secrets } from "./profile.ts";

interface Ask {
  ask: string;
  key: ArrayBuffer;
}

interface Answer extends Ask {
  sealed: Sealed;
}

const TIMEOUT = 5000; // ms for a busy tab

const channel = typeof BroadcastChannel === "undefined" ? null : new BroadcastChannel("obverse-session");

/** Asks the other tabs for the secrets of a session; null: none has answered. */
export async function askTabs(id: string): Promise<Secrets | null> {
  const { privateKey, raw } = await keyPair();
  const listening = new AbortController();
  const answer = new Promise<Secrets | null>((resolve) => {
    const hear = async ({ data }: MessageEvent<Answer>) => {
      if (data.ask === id && data.sealed) {
        // What is for another tab cannot be read with this key.
        const secrets = await sharedKey(privateKey, data.key).then((key) => unseal<Secrets>(key, data.sealed)).catch(() => null);
        secrets && resolve(secrets);
      }
    };
    channel?.addEventListener("message", (event) => void hear(event), { signal: listening.signal });
    setTimeout(resolve, TIMEOUT, null);
  });
  channel?.postMessage({ ask: id, key: raw } satisfies Ask);
  return answer.finally(() => listening.abort());
}

/**
 * Answers other tabs.
 * @param find gives the secrets of a session, or null if this tab has no such session
 */
export function answerTabs(find: (id: string) => Secrets | null) {
  const hear = async ({ data }: MessageEvent<Ask & Partial<Answer>>) => {
    if (data.sealed || !find(data.ask)) {
      return;
    }
    const { privateKey, raw } = await keyPair();
    const key = await sharedKey(privateKey, data.key);
    const secrets = find(data.ask); // it may have been locked meanwhile
    if (secrets) {
      channel?.postMessage({ ask: data.ask, key: raw, sealed: await seal(key, secrets) } satisfies Answer);
    }
  };
  channel?.addEventListener("message", (event) => void hear(event).catch(() => {})); // ignore invalid messages
}
