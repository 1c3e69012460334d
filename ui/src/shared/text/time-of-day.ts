// Times of the day as the reader writes them, with twelve hours or twenty-four.
import { formatLocale } from "./locale";

const CLOCK = new Intl.DateTimeFormat(formatLocale, { timeStyle: "short", timeZone: "UTC" });
const ENGLISH = new Intl.DateTimeFormat("en", { timeStyle: "short", timeZone: "UTC", hour12: true });

/** Hours and minutes, with or without a sign between them, and the half of the day before or after. */
const TYPED = /^(?<before>\D*)(?<hours>\d{1,2})(?:[:.h時点]?(?<minutes>[0-5]\d))?(?<after>\D*)$/;

/** `21:30` as the reader has it: `21:30` or `9:30 PM`. */
export function timeOfDay(time: string): string {
  const [hours = 0, minutes = 0] = time.split(":").map(Number);
  return CLOCK.format(instant(hours, minutes));
}

/** A typed time as `21:30`; nothing where it is none. */
export function readTimeOfDay(typed: string): string | undefined {
  const { before = "", hours = "", minutes = "00", after = "" } = TYPED.exec(plainly(typed))?.groups ?? {};
  const hour = hourOf(hours, letters(before + after));
  return hour === undefined ? undefined : `${two(hour)}:${minutes}`;
}

/** A time so many minutes later, around the clock. */
export function minutesLater(time: string, by: number): string {
  const [hours = 0, minutes = 0] = time.split(":").map(Number);
  const of = (hours * 60 + minutes + by + DAY) % DAY;
  return `${two(Math.floor(of / 60))}:${two(of % 60)}`;
}

const DAY = 24 * 60;

function hourOf(typed: string, half: string): number | undefined {
  const hours = Number(typed);
  if (typed === "" || hours > 23) return undefined;
  if (half === "") return hours;
  const other = hours <= 12 ? [(hours + 12) % 24] : [];
  return [hours, ...other].find((hour) => halves(hour).some((name) => name.startsWith(half)));
}

/** The names of an hour's half of the day: the reader's own, and the English ones. */
function halves(hour: number): string[] {
  return [CLOCK, ENGLISH].flatMap((format) => {
    const part = format.formatToParts(instant(hour, 0)).find(({ type }) => type === "dayPeriod");
    return part ? [letters(part.value)] : [];
  });
}

function plainly(text: string): string {
  return text.normalize("NFKC").toLowerCase().replaceAll(/\s/g, "");
}

/** `p. m.` is `pm`. */
function letters(text: string): string {
  return plainly(text).replaceAll(".", "");
}

function instant(hours: number, minutes: number): number {
  return Date.UTC(2000, 0, 1, hours, minutes);
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}
