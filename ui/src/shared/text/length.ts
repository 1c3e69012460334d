/** Characters that the gateway takes. Of more than that nothing is cut: it is said where it is typed. */
export const PROMPT_CHARS = 100_000;
/** A note, and a step. */
export const TEXT_CHARS = 2_000;

const PAIRS = /[\u{10000}-\u{10FFFF}]/gu;

/** The number of characters too many, counted as the gateway does: one of two code units is one. */
export function tooMany(text: string, most: number): number {
  if (text.length <= most) return 0;
  return Math.max(0, text.length - (text.match(PAIRS)?.length ?? 0) - most);
}
