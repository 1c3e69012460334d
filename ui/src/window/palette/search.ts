import UFuzzy from "@leeoniya/ufuzzy";

/** Any alphabet, and letters left out: `stng` finds Settings. */
const fuzzy = new UFuzzy({
  unicode: true,
  interSplit: "[^\\p{L}\\d']+",
  intraSplit: "\\p{Ll}\\p{Lu}",
  intraBound: "\\p{L}\\d|\\d\\p{L}|\\p{Ll}\\p{Lu}",
  intraChars: "[\\p{L}\\d']",
  intraContr: "'\\p{L}{1,2}\\b",
  intraIns: Infinity,
});

/** Words in another order than they stand in are found as well, up to so many. */
const ANY_ORDER = 3;
/** More than this is not put in order: a letter that everything has says nothing yet. */
const ORDERED = 5_000;

/** A text that was found: which, and the letters that matched, as pairs of from and to. */
export type Match = { at: number; ranges: readonly number[] };

/** The texts that a few letters may mean, the likeliest first, `most` of them. */
export function search(texts: string[], letters: string, most: number): Match[] {
  const [found, info, order] = fuzzy.search(texts, letters, ANY_ORDER, ORDERED);
  if (!found) return [];
  if (info && order) {
    return order
      .slice(0, most)
      .map((place) => ({ at: info.idx[place] ?? 0, ranges: info.ranges[place] ?? [] }));
  }
  const some = fuzzy.info(found.slice(0, most), texts, letters);
  return some.idx.map((at, place) => ({ at, ranges: some.ranges[place] ?? [] }));
}

/** A text in pieces, those that matched apart. */
export type Piece = { words: string; isMatch: boolean };

/** The pieces of the part of a text that begins at `start`. */
export function piecesOf(part: string, ranges: readonly number[], start: number): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  const push = (to: number, isMatch: boolean): void => {
    if (to > at) pieces.push({ words: part.slice(at, to), isMatch });
    at = Math.max(at, to);
  };
  for (let index = 0; index + 1 < ranges.length; index += 2) {
    const from = Math.min(part.length, Math.max(0, (ranges[index] ?? 0) - start));
    const to = Math.min(part.length, Math.max(0, (ranges[index + 1] ?? 0) - start));
    push(from, false);
    push(to, true);
  }
  push(part.length, false);
  return pieces;
}
