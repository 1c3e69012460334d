import { formatLocale } from "./locale";

const plain = new Intl.ListFormat(formatLocale, { type: "unit", style: "short" });
const and = new Intl.ListFormat(formatLocale, { type: "conjunction" });

/** `a, b, c`. */
export function inRow(parts: string[]): string {
  return plain.format(parts);
}

/** `a and b`. */
export function together(parts: string[]): string {
  return and.format(parts);
}
