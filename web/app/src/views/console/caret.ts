/** Finds the position of a caret in JSON that is being written: at which key of which object. */

import { tokens } from "../../exact.ts";

export interface Spot {
  /** The keys that lead to the object. */
  path: string[];
  /** The part of the key before the caret. */
  prefix: string;
  /** Where the text begins that the whole key would replace. */
  start: number;
  end: number;
  /** The other keys of the object. */
  taken: string[];
  /** Whether the key is followed by a colon. */
  colon: boolean;
}

interface Frame {
  object: boolean;
  path: string[];
  /** Whether the next string is a key. */
  atKey: boolean;
  key: string;
  keys: { name: string; start: number }[];
}

const child = (frame: Frame | undefined): string[] => (!frame ? [] : frame.object ? [...frame.path, frame.key] : frame.path);

/** Returns the key at the caret; null if there cannot be a key. */
export function spotAt(text: string, caret: number): Spot | null {
  const stack: Frame[] = [];
  let spot: (Omit<Spot, "taken"> & { frame: Frame }) | null = null;
  let place: Frame | undefined; // where the caret is, if it is between tokens
  let seen = false;
  for (const { kind, start, end, open } of tokens(text)) {
    const frame = stack.at(-1);
    if (!seen && start >= caret) {
      seen = true;
      place = frame;
      if (!spot && place?.object && place.atKey) {
        spot = { frame: place, path: place.path, prefix: "", start: caret, end: caret, colon: false };
      }
    }
    switch (kind) {
      case "{":
      case "[":
        stack.push({ object: kind === "{", path: child(frame), atKey: kind === "{", key: "", keys: [] });
        break;
      case "}":
      case "]":
        stack.pop();
        break;
      case ",":
      case ":":
        if (frame) {
          frame.atKey = kind === "," && frame.object;
        }
        if (kind === ":" && spot && spot.frame === frame && spot.end <= start && frame?.keys.at(-1)?.start === spot.start) {
          spot.colon = true;
        }
        break;
      default: {
        if (!frame?.object || !frame.atKey) {
          break;
        }
        const quote = kind === "string" ? 1 : 0;
        const behind = open || quote === 0 ? end : end - 1;
        frame.key = text.slice(start + quote, behind);
        frame.keys.push({ name: frame.key, start });
        frame.atKey = false;
        if (start + quote <= caret && caret <= behind) {
          spot = { frame, path: frame.path, prefix: text.slice(start + quote, caret), start, end: open ? caret : end, colon: false };
        }
      }
    }
  }
  if (!spot) {
    return null;
  }
  const { frame, ...rest } = spot;
  return { ...rest, taken: frame.keys.filter(({ start }) => start !== rest.start).map(({ name }) => name) };
}
