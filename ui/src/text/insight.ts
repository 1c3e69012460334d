import { formatLocale } from "../shared/text/locale";
import { relativeDay } from "./history";

const SHORT = new Intl.DateTimeFormat(formatLocale, { day: "numeric", month: "short" });
const WEEKDAY = new Intl.DateTimeFormat(formatLocale, { weekday: "short", day: "numeric", month: "short" });

/** A day where there is little room: `9 Nov`. */
export function shortDay(day: number): string {
  return SHORT.format(day);
}

/** The same with what people say first: `Today`, `Mon, 9 Nov`. */
export function shortDayWords(day: number, now: number): string {
  return relativeDay(day, now) ?? WEEKDAY.format(day);
}
