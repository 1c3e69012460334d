import type { Row } from "../state/rows";
import { hasEnded } from "../state/steps";

/** The rows that a step still waits for. */
export function awaited(rows: Row[], { item }: Row): Row[] {
  if (!item.waiting) return [];
  const wanted = new Set(item.dependsOnUids);
  return rows.filter((other) => wanted.has(other.item.uid) && !hasEnded(other.item));
}

/** The rows that wait for a step, or would if it were still to do. */
export function neededBy(rows: Row[], { item }: Row): Row[] {
  return rows.filter((other) => other.item.dependsOnUids?.includes(item.uid));
}
