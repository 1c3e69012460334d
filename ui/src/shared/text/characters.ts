import table from "./characters.json";

/** Effects of characters that have no letter of their own; `characters.json` names its sources. */
export type Kind =
  | "control"
  | "line"
  | "bidi"
  | "override"
  | "joiner"
  | "variation"
  | "tag"
  | "mark"
  | "invisible"
  | "space"
  | "private";

const RANGES = table.ranges.map(
  ([start, end, kind]) => [Number.parseInt(start ?? "", 16), Number.parseInt(end ?? "", 16), kind] as const,
);

/** Each character of the table. */
export const UNUSUAL = new RegExp(
  `[${table.ranges.map(([start, end]) => `\\u{${start}}-\\u{${end}}`).join("")}]`,
  "gu",
);

const FIRST_UNUSUAL = 0x7f;

/** The effect of the first character of a text; none of most characters. */
export function kindOf(character: string): Kind | undefined {
  const code = character.codePointAt(0) ?? 0;
  if (code >= 0x20 && code < FIRST_UNUSUAL) return undefined;
  return RANGES.find(([start, end]) => start <= code && code <= end)?.[2] as Kind | undefined;
}
