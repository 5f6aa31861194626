import { t } from "../language.ts";
import { visible } from "../visible.ts";

const SHORTEST = 12; // words of the shortest recovery phrase

/** Returns the reason why a text may not be published or stored unencrypted: it contains a recovery phrase or a private key. "" if it does not. */
export async function phraseFault(text: string): Promise<string> {
  const seen = visible(text);
  const words = seen.match(/\p{L}{3,}/gu) ?? [];
  if (words.length < SHORTEST && !/[1-9A-HJ-NP-Za-km-z]{51}/.test(seen)) {
    return "";
  }
  const { hasKey, hasPhrase } = await import("../mnemonic.ts");
  return hasPhrase(seen) ? t("words.secret") : hasKey(seen) ? t("words.key") : "";
}
