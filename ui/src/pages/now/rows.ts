import type { Size } from "../../views/run/layout";

export type CardSize = Exclude<Size, "line">;

/** The height of a step's row, in pixels. */
export const ROW: Record<CardSize, number> = { page: 40, large: 32, card: 27, small: 26 };

/** So many subagents have rows of their own. */
const SUBAGENTS: Record<CardSize, number> = { page: 8, large: 3, card: 2, small: 1 };
/** The height of a subagent's row. */
const SUBAGENT = 26;

/** The last row of a card's steps says how many more there are; a small card has no such row. */
export function hasMoreRow(size: CardSize): boolean {
  return size !== "small";
}

/** The subagents that have rows in a card: one more takes no more room than to say so. */
export function shownOf<T>(all: readonly T[], size: CardSize): T[] {
  const room = SUBAGENTS[size];
  return all.slice(0, all.length === room + 1 ? all.length : room);
}

/** The rows that steps have beside so many subagents, so that a card is as high with subagents as without. */
export function roomBeside(subagents: number, size: CardSize, room: number): number {
  const height = Math.min(subagents, SUBAGENTS[size] + 1) * SUBAGENT;
  return Math.max(hasMoreRow(size) ? 1 : 0, room - Math.ceil(height / ROW[size]));
}
