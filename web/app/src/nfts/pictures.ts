/**
 * Pictures of NFTs. The node fetches them within its limits. The page checks type, size,
 * time and pixels again and draws each one as a new still picture.
 * Nothing that an author wrote reaches the page unchanged.
 */

import { effect, signal, untracked, type Signal } from "@preact/signals";
import { RpcError } from "obverse";
import { connection, rpc } from "../node.ts";
import { keyOf, type Token } from "./nft.ts";

export type Picture =
  | { is: "waiting" }
  /** crisp: it has so few pixels that they should be visible. */
  | { is: "shown"; url: string; crisp: boolean }
  | { is: "missing"; why: "absent" | "spam" | "failed"; error: unknown };

const TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"];
const MOST_BYTES = 4 << 20;
const MOST_PIXELS = 50e6; // they need 200 MB of memory
const LARGEST = 960; // maximum width or height in pixels of a stored picture
const CRISP = 64;
const PATIENCE = 40_000; // ms: the node allows each of its gateways 10 s
const AT_ONCE = 3;
const KEPT = 200;

interface Entry {
  token: Token;
  picture: Signal<Picture>;
  /** Whether to load it even if it may be spam. */
  anyway: boolean;
  /** Counts requests to load it again, and which of them is in progress. */
  turn: number;
  loading: number;
}

/** By key, the most recently requested one last. */
const entries = new Map<string, Entry>();
const queue: Entry[] = [];
let running = 0;

/**
 * Returns the picture of an NFT as far as it is loaded. The picture of suspected spam is hidden,
 * even if it was loaded before the suspicion, unless retry requested it.
 */
export function pictureOf(token: Token, suspect: boolean): Picture {
  const { picture, anyway } = entryOf(token);
  const { value } = picture; // read unconditionally, to subscribe to changes
  return suspect && !anyway ? { is: "missing", why: "spam", error: null } : value;
}

function entryOf(token: Token): Entry {
  const key = keyOf(token);
  const entry = entries.get(key) ?? { token, picture: signal<Picture>({ is: "waiting" }), anyway: false, turn: 1, loading: 0 };
  entries.delete(key);
  entries.set(key, entry);
  for (const [oldest] of entries) {
    if (entries.size <= KEPT) {
      break;
    }
    forgetKey(oldest);
  }
  return entry;
}

/** Queues a picture for loading. It returns a function that cancels this if loading has not begun. */
export function want(token: Token): () => void {
  const entry = entryOf(token);
  if (entry.picture.peek().is === "waiting" && entry.loading !== entry.turn && !queue.includes(entry)) {
    queue.push(entry);
    next();
  }
  return () => {
    const at = queue.indexOf(entry);
    if (at >= 0) {
      queue.splice(at, 1);
    }
  };
}

/** Loads a picture again. anyway loads it even though its author, who may be malicious, learns of that. */
export function retry(token: Token, anyway = false) {
  const entry = entryOf(token);
  entry.anyway ||= anyway;
  entry.turn++;
  drop(entry);
  entry.picture.value = { is: "waiting" }; // a new object
  want(token);
}

/** Tries missing pictures again after the NFTs' metadata has changed. */
export function retryAbsent() {
  for (const entry of entries.values()) {
    const now = entry.picture.peek();
    if (now.is === "missing" && now.why === "absent") {
      entry.turn++;
      entry.picture.value = { is: "waiting" };
    }
  }
}

function drop(entry: Entry) {
  const now = entry.picture.peek();
  if (now.is === "shown") {
    URL.revokeObjectURL(now.url);
  }
}

function forgetKey(key: string) {
  const entry = entries.get(key);
  if (entry) {
    entries.delete(key);
    drop(entry);
  }
}

function next() {
  while (running < AT_ONCE) {
    const entry = queue.shift();
    if (!entry) {
      return;
    }
    running++;
    void fill(entry).finally(() => {
      running--;
      next();
    });
  }
}

async function fill(entry: Entry) {
  let picture: Picture;
  const mine = (entry.loading = entry.turn);
  try {
    picture = await fetched(entry.token, entry.anyway);
  } catch (error) {
    picture = { is: "missing", why: whyNot(error), error };
  }
  if (entries.get(keyOf(entry.token)) === entry && entry.turn === mine) {
    entry.picture.value = picture;
  } else if (picture.is === "shown") {
    URL.revokeObjectURL(picture.url);
  }
}

function whyNot(error: unknown): "absent" | "spam" | "failed" {
  const kind = error instanceof RpcError ? error.kind : "";
  return kind === "NftHasNoImage" ? "absent" : kind === "NftMayBeSpam" ? "spam" : "failed";
}

/** The error for a loaded picture that is not displayed. The text is displayed in the details of the error. */
export class PictureError extends Error {}

async function fetched(token: Token, anyway: boolean): Promise<Picture> {
  const { content_type: type, data } = await within(PATIENCE, rpc("get_nft_image", { ...token, ...(anyway ? { protect_from_spam: false } : {}) }));
  if (!TYPES.includes(type)) {
    throw new PictureError(`it is of the type ${type}, which is not shown`);
  }
  if (data.length > (MOST_BYTES / 3) * 4 + 4) {
    throw new PictureError("it is larger than 4 MiB");
  }
  const given = URL.createObjectURL(new Blob([Uint8Array.from(atob(data), (char) => char.charCodeAt(0))], { type }));
  try {
    return await still(await within(PATIENCE, opened(given)));
  } finally {
    URL.revokeObjectURL(given);
  }
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => (timer = setTimeout(() => reject(new PictureError("it did not come in time")), ms)));
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

function opened(url: string): Promise<HTMLImageElement> {
  return new Promise((resolve, reject) => {
    const image = new Image();
    image.onload = () => resolve(image);
    image.onerror = () => reject(new PictureError("the browser cannot read it"));
    image.src = url;
  });
}

/** Returns the first frame of an image, scaled down if needed. Browsers know the size of an image before they draw it. */
async function still(image: HTMLImageElement): Promise<Picture> {
  const { naturalWidth: width, naturalHeight: height } = image;
  if (width * height === 0 || width * height > MOST_PIXELS) {
    throw new PictureError(`it has ${width} by ${height} pixels`);
  }
  const scale = Math.min(1, LARGEST / Math.max(width, height));
  await image.decode().catch(() => {
    throw new PictureError("the browser cannot read it");
  });
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(width * scale));
  canvas.height = Math.max(1, Math.round(height * scale));
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  const crisp = Math.max(width, height) <= CRISP;
  const drawn = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, crisp ? "image/png" : "image/webp", 0.9));
  if (!drawn) {
    throw new PictureError("the browser cannot draw it");
  }
  return { is: "shown", url: URL.createObjectURL(drawn), crisp };
}

// Another node or wallet has other NFTs.
effect(() => {
  connection.value;
  untracked(() => {
    queue.length = 0;
    [...entries.keys()].forEach(forgetKey);
  });
});
