import {
  baseLocale,
  extractLocaleFromNavigator,
  getTextDirection,
  overwriteGetLocale,
  toLocale,
  type Locale,
} from "../../paraglide/runtime";

const KEY = "locale";

/** The language of the texts: the kept choice, else the first of the user's languages that there is, else the base. */
const locale: Locale = kept() ?? extractLocaleFromNavigator() ?? baseLocale;

/** The locale of times and numbers: the language of the texts, with the customs of where the user is. */
export const formatLocale: string = customsOf(locale, navigator.languages);

overwriteGetLocale(() => locale);

/** Tells the document its language, for screen readers, hyphens and the direction of everything. */
export function markLanguage(root: HTMLElement): void {
  root.lang = locale;
  root.dir = getTextDirection(locale);
}

/** Takes another language: every text of the page is made anew. */
export function chooseLocale(chosen: Locale): void {
  try {
    localStorage.setItem(KEY, chosen);
  } catch {
    // Storage is closed to us: it stays with the user's languages.
  }
  location.reload();
}

function kept(): Locale | undefined {
  try {
    return toLocale(localStorage.getItem(KEY) ?? undefined);
  } catch {
    // Storage is closed to us: the user's languages it is.
    return undefined;
  }
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
