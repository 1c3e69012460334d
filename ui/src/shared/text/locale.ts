import {
  baseLocale,
  getTextDirection,
  locales,
  overwriteGetLocale,
  toLocale,
  type Locale,
} from "../../paraglide/runtime";
import { DIRECTIONS, isInvented, type Invented } from "./invented";

const KEY = "locale";

const chosen = kept();

/**
 * The language of the texts: the kept choice, else the first of the user's languages that there is, else the base.
 *
 * @public `messages/one-language.js` imports it.
 */
export const locale: Locale = toLocale(chosen) ?? spoken(navigator.languages) ?? baseLocale;

/**
 * The invented language that stands for all that are not there yet, where a test chose one.
 *
 * @public `messages/one-language.js` imports it.
 */
export const invented: Invented | undefined = isInvented(chosen) ? chosen : undefined;

/** The locale of times and numbers: the language of the texts, with the customs of where the user is. */
export const formatLocale: string = customsOf(locale, navigator.languages);

overwriteGetLocale(() => locale);

/** Tells the document its language, for screen readers, fonts, hyphens and the direction of everything. */
export function markLanguage(root: HTMLElement): void {
  root.lang = invented ?? locale;
  root.dir = invented ? DIRECTIONS[invented] : getTextDirection(locale);
}

/** Takes another language: every text of the page is made anew. */
export function chooseLocale(language: Locale): void {
  try {
    localStorage.setItem(KEY, language);
  } catch {
    // Storage is closed to us: it stays with the user's languages.
  }
  location.reload();
}

function kept(): string | undefined {
  try {
    return localStorage.getItem(KEY) ?? undefined;
  } catch {
    // Storage is closed to us: the user's languages it is.
    return undefined;
  }
}

/** The first of the user's languages that has texts. Its script counts: who reads `zh-TW` does not read `zh-Hans`. */
export function spoken(languages: readonly string[]): Locale | undefined {
  const scripts = languages.flatMap(read).map(scriptOf);
  return scripts.flatMap((script) => locales.filter((tag) => scriptOf(new Intl.Locale(tag)) === script))[0];
}

/** `zh-Hant` of `zh-TW`. */
function scriptOf(tag: Intl.Locale): string {
  const { language, script } = tag.maximize();
  return `${language}-${script}`;
}

/** English texts for somebody in Germany have German customs: `en-DE`. */
export function customsOf(language: string, languages: readonly string[]): string {
  const region = languages.flatMap(read)[0]?.maximize().region;
  return region === undefined ? language : new Intl.Locale(language, { region }).toString();
}

/** A system may name a language that is none (`C`, `POSIX`). */
function read(tag: string): Intl.Locale[] {
  try {
    return [new Intl.Locale(tag)];
  } catch {
    return [];
  }
}
