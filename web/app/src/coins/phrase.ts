import { t } from "../language.ts";

const SHORTEST = 12; // words of a recovery phrase

/** Why a text may not be published, or kept where it is not encrypted: a recovery phrase stands in it. "" if nothing is wrong with it. */
export async function phraseFault(text: string): Promise<string> {
  const letters = text.match(/\p{L}{3,}/gu) ?? [];
  return letters.length >= SHORTEST && (await import("../mnemonic.ts")).hasPhrase(text) ? t("words.secret") : "";
}
