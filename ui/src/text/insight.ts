import { formatLocale } from "../locale";

const SHORT = new Intl.DateTimeFormat(formatLocale, { day: "numeric", month: "short" });

/** A day where there is little room: `9 Nov`. */
export function shortDay(day: number): string {
  return SHORT.format(day);
}
