import { number as counted } from "./numbers";

const rules = new Map<string, Intl.PluralRules>();

/** The form that a message takes for a number. */
export function plural(language: string, input: unknown): string {
  let those = rules.get(language);
  if (!those) rules.set(language, (those = new Intl.PluralRules(language)));
  return those.select(Number(input));
}

/** A number in a message. */
export function number(_language: string, input: unknown): string {
  return counted(Number(input));
}
