import type { Row } from "./rows";

/** The rows, and those of `held` that are gone from them, where they stood. */
export function withGhosts(rows: Row[], held: Row[]): Row[] {
  if (held.length === 0) return rows;
  const there = new Set(rows.map(({ item }) => item.uid));
  let all = rows;
  for (const row of held) {
    if (there.has(row.item.uid)) continue;
    const at = all.findIndex((other) => !other.gone && !isBefore(other.position, row.position));
    all = all.toSpliced(at < 0 ? all.length : at, 0, { ...row, gone: true });
  }
  return all;
}

function isBefore(left: string, right: string): boolean {
  const [a, b] = [left, right].map((position) => position.split(".").map(Number));
  const [top = 0, sub = 0] = a ?? [];
  const [otherTop = 0, otherSub = 0] = b ?? [];
  return top === otherTop ? sub < otherSub : top < otherTop;
}
