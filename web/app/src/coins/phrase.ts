import { t } from "../language.ts";
import { visible } from "../visible.ts";

const SHORTEST = 12; // words of a recovery phrase

/** Why a text may not be published, or kept where it is not encrypted: a recovery phrase or a private key stands in it. "" if nothing is wrong with it. */
export async function phraseFault(text: string): Promise<string> {
  const seen = visible(text);
  const words = seen.match(/\p{L}{3,}/gu) ?? [];
  if (words.length < SHORTEST && !/[1-9A-HJ-NP-Za-km-z]{51}/.test(seen)) {
    return "";
  }
  const { hasKey, hasPhrase } = await import("../mnemonic.ts");
  return hasPhrase(seen) ? t("words.secret") : hasKey(seen) ? t("words.key") : "";
}
