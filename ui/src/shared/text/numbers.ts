import { formatLocale } from "./locale";

const counts = new Intl.NumberFormat(formatLocale);
const dollars = new Intl.NumberFormat(formatLocale, { style: "currency", currency: "USD" });
const percents = new Intl.NumberFormat(formatLocale, { style: "percent" });

/** A number as the user writes numbers. */
export function number(value: number): string {
  return counts.format(value);
}

const compacts = new Intl.NumberFormat(formatLocale, { notation: "compact", maximumSignificantDigits: 3 });

/** A large number, short: `46K`. */
export function compact(value: number): string {
  return compacts.format(value);
}

/** A share of something, rounded down: what is not over is not 100 %. */
export function percent(fraction: number): string {
  return percents.format(Math.floor(fraction * 100) / 100);
}

/** An amount in US dollars. */
export function money(amount: number): string {
  return dollars.format(amount);
}

const UNITS = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"] as const;
const THOUSAND = 1_000;

/** A size: `212 MB`. */
export function size(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log(Math.max(1, bytes)) / Math.log(THOUSAND)));
  const value = bytes / THOUSAND ** power;
  return new Intl.NumberFormat(formatLocale, {
    style: "unit",
    unit: UNITS[power] ?? "byte",
    unitDisplay: "short",
    maximumFractionDigits: value < 10 && power > 0 ? 1 : 0,
  }).format(value);
}
