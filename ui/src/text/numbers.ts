import { formatLocale } from "../locale";

const counts = new Intl.NumberFormat(formatLocale);
const dollars = new Intl.NumberFormat(formatLocale, { style: "currency", currency: "USD" });
const percents = new Intl.NumberFormat(formatLocale, { style: "percent" });

/** A number as the user writes numbers. */
export function number(value: number): string {
  return counts.format(value);
}

/** How much of something, rounded down: what is not over is not 100 %. */
export function percent(fraction: number): string {
  return percents.format(Math.floor(fraction * 100) / 100);
}

/** An amount in US dollars. */
export function money(amount: number): string {
  return dollars.format(amount);
}
