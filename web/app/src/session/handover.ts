/**
 * Transfers the open session from another tab to this one: the request has a public key, and the
 * response is encrypted with it. Recorded messages do not open
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

/** Requests the secrets of a session from the other tabs; null if none responds. */
export async function askTabs(id: string): Promise<Secrets | null> {
  const { privateKey, raw } = await keyPair();
  const listening = new AbortController();
  const answer = new Promise<Secrets | null>((resolve) => {
    const hear = async ({ data }: MessageEvent<Answer>) => {
      if (data.ask === id && data.sealed) {
        // A response to another tab cannot be decrypted with this key.
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
 * Responds to requests of other tabs.
 * @param find returns the secrets of a session, or null if this tab does not have it
 */
export function answerTabs(find: (id: string) => Secrets | null) {
  const hear = async ({ data }: MessageEvent<Ask & Partial<Answer>>) => {
    if (data.sealed || !find(data.ask)) {
      return;
    }
    const { privateKey, raw } = await keyPair();
    const key = await sharedKey(privateKey, data.key);
    const secrets = find(data.ask); // it may have been locked in the meantime
    if (secrets) {
      channel?.postMessage({ ask: data.ask, key: raw, sealed: await seal(key, secrets) } satisfies Answer);
    }
  };
  channel?.addEventListener("message", (event) => void hear(event).catch(() => {})); // ignore invalid messages
}
