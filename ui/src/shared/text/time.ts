import { formatLocale } from "./locale";
import { m } from "../../paraglide/messages";
import { number } from "./numbers";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The span of something that goes on: `40 s`, `2 min`, `1 h 5 min`, `3 days`. */
export function duration(milliseconds: number): string {
  const span = Math.max(0, milliseconds);
  if (span < MINUTE) return m.time_seconds({ count: Math.floor(span / 1_000) });
  if (span < HOUR) return m.time_minutes({ count: Math.floor(span / MINUTE) });
  if (span >= DAY) return m.time_days({ count: Math.floor(span / DAY) });
  const hours = Math.floor(span / HOUR);
  const minutes = Math.floor((span % HOUR) / MINUTE);
  return minutes > 0
    ? m.time_hours_minutes({ hours: number(hours), minutes: number(minutes) })
    : m.time_hours({ count: hours });
}

/** The same for `<time datetime>`. */
export function isoDuration(milliseconds: number): string {
  return `PT${Math.floor(Math.max(0, milliseconds) / 1_000)}S`;
}

/** The age of something, in minutes at the finest and without those after the first hour. */
export function age(at: string, now: number): string {
  const span = now - Date.parse(at);
  if (span < MINUTE) return m.time_just_now();
  if (span < HOUR) return m.time_minutes_ago({ count: Math.floor(span / MINUTE) });
  if (span < DAY) return m.time_hours_ago({ count: Math.floor(span / HOUR) });
  return m.time_days_ago({ count: Math.floor(span / DAY) });
}

/** A time of day, with the day where it is not today's. */
export function clockTime(at: string, now: number): string {
  const then = new Date(at);
  const isToday = then.toDateString() === new Date(now).toDateString();
  const format = isToday ? SHORT : LONG;
  return format.format(then);
}

/** For hovering: to the second. */
export function exactTime(at: string): string {
  return EXACT.format(new Date(at));
}

const SHORT = new Intl.DateTimeFormat(formatLocale, { timeStyle: "short" });
const LONG = new Intl.DateTimeFormat(formatLocale, {
  day: "numeric",
  month: "short",
  // As in the short form: 09:05, but 9:05 AM.
  hour: SHORT.resolvedOptions().hour12 === true ? "numeric" : "2-digit",
  minute: "2-digit",
});
const EXACT = new Intl.DateTimeFormat(formatLocale, { dateStyle: "medium", timeStyle: "medium" });
