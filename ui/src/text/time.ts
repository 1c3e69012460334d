const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How long something has been going on: `40 s`, `2 min`, `1 h 5 min`, `3 days`. */
export function duration(milliseconds: number): string {
  const span = Math.max(0, milliseconds);
  if (span < MINUTE) return `${Math.floor(span / 1_000)} s`;
  if (span < HOUR) return `${Math.floor(span / MINUTE)} min`;
  if (span < DAY) {
    const minutes = Math.floor((span % HOUR) / MINUTE);
    return minutes > 0 ? `${Math.floor(span / HOUR)} h ${minutes} min` : `${Math.floor(span / HOUR)} h`;
  }
  const days = Math.floor(span / DAY);
  return days === 1 ? "1 day" : `${days} days`;
}

/** The same for `<time datetime>`. */
export function isoDuration(milliseconds: number): string {
  return `PT${Math.floor(Math.max(0, milliseconds) / 1_000)}S`;
}

/** How long ago, in minutes at the finest and without those after the first hour. */
export function age(at: string, now: number): string {
  const span = now - Date.parse(at);
  if (span < MINUTE) return "just now";
  return `${duration(span < HOUR || span >= DAY ? span : Math.floor(span / HOUR) * HOUR)} ago`;
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

const SHORT = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const LONG = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
});
const EXACT = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" });
