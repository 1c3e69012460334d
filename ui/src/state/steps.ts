import type { Item, Priority, Status } from "../protocol/types";

/** The statuses that a step can be given. */
export const STATUSES: readonly Status[] = [
  "pending",
  "in_progress",
  "completed",
  "blocked",
  "skipped",
  "cancelled",
];

/** The priorities that a step can be given, the least first. */
export const PRIORITIES = ["none", "low", "medium", "high"] as const;

const ENDED = new Set<Status>(["completed", "skipped", "cancelled"]);

export function hasEnded(item: Item): boolean {
  return ENDED.has(item.status);
}

const AFTER: Partial<Record<Status, Status>> = { pending: "in_progress", in_progress: "completed" };

/** The status that comes after another when the user goes through them. */
export function nextStatus(status: Status): Status {
  return AFTER[status] ?? "pending";
}

const LOWER: Record<Priority, Priority | null> = { high: "medium", medium: "low", low: null };

/** The priority that comes after another when the user goes through them: what has none becomes urgent at once. */
export function nextPriority(priority: Priority | undefined): Priority | null {
  return priority === undefined ? "high" : LOWER[priority];
}

/** The words for an item: its active form while it is in progress, else its content. */
export function wordsOf(item: Item): string {
  return item.status === "in_progress" && item.activeForm ? item.activeForm : item.content;
}

/** The remarks of an item beside its content. */
export function remarksOf({ reason, notes, description }: Item): string[] {
  return [reason, notes, description].flatMap((text) => text || []);
}

/** The step in progress. */
export function activeOf(todos: Item[]): Item | undefined {
  return todos.find((item) => item.status === "in_progress");
}

/** The part of a list that a card has room for. */
export type Excerpt = { rows: Item[]; more: number };

/** The step before the one that is on and those that follow, `room` in all; the one named `apart` is left out. */
export function excerptOf(todos: Item[], room: number, apart: Item | undefined): Excerpt {
  const active = todos.findIndex((item) => item.status === "in_progress");
  const firstOpen = todos.findIndex((item) => !hasEnded(item));
  const here = active >= 0 ? active : firstOpen >= 0 ? firstOpen : todos.length;
  const others = todos.filter((item) => item !== apart);
  // With room for the whole list it is shown from its start.
  const start = Math.max(0, Math.min(here - 1, others.length - room));
  const rows = others.slice(start, start + room);
  return { rows, more: others.slice(start + room).length };
}
