/**
 * The page's language. Texts are in words/en.json, and in words/de.json with the same names,
 * as messages in ICU's format; @lingui/message-utils compiles them when the page is built (../words-plugin.ts).
 * Numbers, dates and plurals are the browser's for that language.
 */

import { computed, signal } from "@preact/signals";
import { recall, remember } from "./memory.ts";
import start from "./words/en.json?start";
import type english from "./words/en.json";

/** The name of a text. */
export type Text = keyof typeof english;

/** A part of a message: a text, or a variable, which may be a number that chooses among forms. */
type Part = string | [name: string] | [name: string, kind: "plural", forms: Record<string, string | Part[]>];
export type Catalogue = Partial<Record<string, string | Part[]>>;

/** The languages that the page speaks, each in its own words. */
export const languages = { en: "English", de: "Deutsch" } as const;
export type Language = keyof typeof languages;

const isLanguage = (name: string | null | undefined): name is Language => name != null && Object.hasOwn(languages, name);

/** The user's choice, else the browser's, else English. */
function preferred(): Language {
  const chosen = recall("language");
  return isLanguage(chosen) ? chosen : (navigator.languages.map((name) => name.slice(0, 2)).find(isLanguage) ?? "en");
}

/** The texts of the language that is shown; English is below those of another one. */
const texts = signal<Catalogue>(start);

/** The language of the texts that are shown. */
export const language = signal<Language>("en");

/** For Intl: the browser's own variant of the language, as en-GB, or the language. */
export const locale = computed(() => navigator.languages.find((name) => name.startsWith(language.value)) ?? language.value);

const rest = {
  en: async (): Promise<Catalogue> => ({ ...start, ...(await import("./words/en.json?rest")).default }),
  de: async (): Promise<Catalogue> => (await import("./words/de.json?all")).default,
};

/** All texts of the language in use; views other than the frame wait for them. */
let whole: Promise<void> | null = null;

/** Reads the texts of a language, and shows them. */
async function show(chosen: Language): Promise<void> {
  const read = await rest[chosen]();
  texts.value = read;
  language.value = chosen;
  document.documentElement.lang = chosen;
}

/** Reads all texts of the preferred language. A failure is tried again by the next call. */
export function allTexts(): Promise<void> {
  whole ??= show(preferred()).catch((error: unknown) => {
    whole = null;
    throw error;
  });
  return whole;
}

/** Waits for the texts if they are not English, whose first ones are here. */
export const beginLanguage = async (): Promise<void> => {
  const read = allTexts().catch(() => {}); // what needs them says so
  await (preferred() === "en" ? undefined : read);
};

/** Chooses a language, here and for the next visit. */
export async function setLanguage(chosen: Language): Promise<void> {
  await show(chosen);
  remember("language", chosen);
}

/** A text in the page's language: t("home.small", {count: 5}). */
export function t(name: Text, values: Record<string, string | number> = {}): string {
  return formatted(texts.value[name] ?? "", values, language.value);
}

/** A message with its values. */
export function formatted(message: string | Part[], values: Record<string, string | number>, inLanguage: string): string {
  const say = (parts: string | Part[], count: number): string => (typeof parts === "string" ? parts.replaceAll("#", () => inDigits(count, inLanguage)) : parts.map((part) => said(part, count)).join(""));
  const said = (part: Part, count: number): string => {
    if (typeof part === "string") {
      return part === "#" ? inDigits(count, inLanguage) : part;
    }
    const [name, , forms] = part;
    const value = values[name] ?? "";
    if (!forms) {
      return String(value);
    }
    const number = Number(value);
    return say(forms[`=${number}`] ?? forms[number] ?? forms[new Intl.PluralRules(inLanguage).select(number)] ?? forms["other"] ?? "", number);
  };
  return typeof message === "string" ? message : say(message, 0);
}

const inDigits = (count: number, inLanguage: string): string => new Intl.NumberFormat(inLanguage).format(count);
