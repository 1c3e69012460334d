import { formatLocale } from "../locale";

const UNITS = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"] as const;
const THOUSAND = 1_000;

/** How large something is: `212 MB`. */
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
