/**
 * The page's language. Texts are in words/en.json, and in words/de.json with the same names,
 * as messages in ICU's format; @lingui/message-utils compiles them when the page is built (../words-plugin.ts).
 * Numbers, dates and plurals follow the browser's rules for the language.
 */

import { computed, signal } from "@preact/signals";
import { recall, remember } from "./memory.ts";
import start from "./words/en.json?start";
import type english from "./words/en.json";

/** The name of a text. */
export type Text = keyof typeof english;

/** A part of a message: a text, or a variable, which may be a number that selects a form. */
type Part = string | [name: string] | [name: string, kind: "plural", forms: Record<string, string | Part[]>];
type Catalogue = Partial<Record<string, Part[]>>;

/** The available languages, each by its native name. */
export const languages = { en: "English", de: "Deutsch" } as const;
export type Language = keyof typeof languages;

const isLanguage = (name: string | null | undefined): name is Language => name != null && Object.hasOwn(languages, name);

/** Returns the user's choice, or the browser's language, or English. */
function preferred(): Language {
  const chosen = recall("language");
  return isLanguage(chosen) ? chosen : (navigator.languages.map((name) => name.slice(0, 2)).find(isLanguage) ?? "en");
}

/** A part of a catalogue as the build stores it: the number of its first text, the texts as lines, and those with names. */
export type Lines = [first: number, lines: string, named: Record<string, string>];

/** Parses the texts of a part. Variables are in braces; more complex messages are compiled. */
function read([first, lines, named]: Lines): Catalogue {
  const all = [...lines.split("\n").map((line, n) => [(first + n).toString(36), line] as const), ...Object.entries(named)];
  return Object.fromEntries(all.map(([name, line]) => [name, line[0] === "[" ? (JSON.parse(line) as Part[]) : line.split(/\{(\w+)\}/).map((part, n): Part => (n % 2 ? [part] : part))]));
}

/** The texts of the current language, with English as the fallback. */
const first = read(start);
const texts = signal(first);

/** The current language. */
export const language = signal<Language>("en");

/** The locale for Intl: the browser's variant of the language, such as en-GB, or the language. */
export const locale = computed(() => navigator.languages.find((name) => name.startsWith(language.value)) ?? language.value);

/** A part of the texts: those for everyday views, or those that only some views need (../words-plugin.ts). */
export type TextPart = "usual" | "more" | "design";

type Loaders = Record<TextPart, () => Promise<{ default: Lines }>>;

const loaders: Record<Language, Loaders> = {
  en: { usual: () => import("./words/en.json?usual"), more: () => import("./words/en.json?more"), design: () => import("./words/en.json?design") },
  de: { usual: () => import("./words/de.json?begin"), more: () => import("./words/de.json?more"), design: () => import("./words/de.json?design") },
};

/** The parts that views have requested; views other than the frame wait for theirs. */
const parts = new Map<TextPart, Promise<void>>();

/** The language chosen last, even if its texts are still being loaded. */
let chosen: Language | null = null;

/** Loads the requested texts of the chosen language and switches to it. */
async function show(): Promise<void> {
  const [inLanguage, asked] = [(chosen ??= preferred()), [...parts.keys()]];
  const came = await Promise.all(asked.map((part) => loaders[inLanguage][part]()));
  if (parts.size > asked.length || chosen !== inLanguage) {
    return show();
  }
  texts.value = Object.assign({}, first, ...came.map((part) => read(part.default))) as Catalogue;
  language.value = inLanguage;
  document.documentElement.lang = inLanguage;
}

/** Loads a part of the texts. After a failure, the next call tries again. */
export function textsOf(part: TextPart): Promise<void> {
  const asked = parts.get(part);
  if (asked) {
    return asked;
  }
  const reading = Promise.resolve()
    .then(show)
    .catch((error: unknown) => {
      parts.delete(part);
      throw error;
    });
  parts.set(part, reading);
  return reading;
}

/** Loads the texts unless they are English, which has its first part built in. */
export const beginLanguage = async (): Promise<void> => {
  const reading = textsOf("usual").catch(() => {}); // the views that need them report the error
  await (preferred() === "en" ? undefined : reading);
};

/** Sets the language, which later visits keep. */
export async function setLanguage(wanted: Language): Promise<void> {
  const before = language.peek();
  chosen = wanted;
  await show().catch((error: unknown) => {
    chosen = before;
    throw error;
  });
  remember("language", wanted);
}

export type Values = Readonly<Record<string, string | number | bigint | undefined>>;

/** Returns a text in the current language: t("home.small", {count: 5}). */
export function t(name: Text, values: Values = {}): string {
  return formatted(texts.value[name] ?? [], values, language.value);
}

/** Returns the parts of a text in the current language, with each value as a part: ui/rich.tsx. */
export function partsOf(name: Text): (string | { value: string })[] {
  return (texts.value[name] ?? []).map((part) => (typeof part === "string" ? part : { value: part[0] }));
}

/** Formats a message with its values. */
function formatted(message: Part[], values: Values, inLanguage: string): string {
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
  return say(message, 0);
}

const inDigits = (count: number, inLanguage: string): string => new Intl.NumberFormat(inLanguage).format(count);
