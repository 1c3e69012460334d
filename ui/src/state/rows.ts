import type { EditView, Item, Status } from "../protocol/types";
import { ascending } from "../shared/order";
import { hasEnded } from "./steps";

/** Positions that a step names when it waits for more. */
const NAMED = 4;

/** One line of the list: an item or a subtask, at its position. */
export type Row = {
  item: Item;
  /** `3`, or `3.1` for a subtask. */
  position: string;
  isSubtask: boolean;
  /** The newest of the user's edits that is about it. */
  edit: EditView | undefined;
  /** The positions of the steps that it waits for, such as `2, 3.1`. */
  waitsFor: string | undefined;
  /** It is not in the list any more, and only shown for what the user has typed into it. */
  gone?: boolean;
};

/** The meaning of a row's glyph: a step that waits for others is not merely still to do. */
export function glyphOf({ item, gone, waitsFor }: Row): Status | "waiting" {
  if (gone) return "cancelled";
  return waitsFor === undefined ? item.status : "waiting";
}

/** The list as lines; a line that did not change is the very object of `before`. */
export function toRows(todos: Item[], edits: EditView[], before: Row[]): Row[] {
  const editOf = newestEdits(edits);
  const known = new Map(before.map((row) => [row.item.uid, row]));
  const open = openPositions(todos);
  const line = (item: Item, position: string, isSubtask: boolean): Row => {
    const edit = editOf.get(item.uid);
    const unmet = item.waiting ? (item.dependsOnUids ?? []).flatMap((uid) => open.get(uid ?? "") ?? []) : [];
    const named = unmet.length > NAMED ? [...unmet.slice(0, NAMED), "…"] : unmet;
    const waitsFor = named.length > 0 ? named.join(", ") : undefined;
    const old = known.get(item.uid);
    const same =
      old?.item === item && old.position === position && old.edit === edit && old.waitsFor === waitsFor;
    return same ? old : { item, position, isSubtask, edit, waitsFor };
  };
  return todos.flatMap((item, index) => [
    line(item, String(index + 1), false),
    ...(item.subtasks ?? []).map((subtask, at) => line(subtask, `${index + 1}.${at + 1}`, true)),
  ]);
}

/** Positions of the steps that others may still wait for. */
export function openPositions(todos: Item[]): Map<string, string> {
  const positions = new Map<string, string>();
  const note = (item: Item, position: string): void => {
    if (!hasEnded(item)) positions.set(item.uid, position);
  };
  for (const [index, item] of todos.entries()) {
    note(item, String(index + 1));
    for (const [at, subtask] of (item.subtasks ?? []).entries()) note(subtask, `${index + 1}.${at + 1}`);
  }
  return positions;
}

/** The newest edit about each item. */
export function newestEdits(edits: EditView[]): Map<string, EditView> {
  const newest = new Map<string, EditView>();
  for (const edit of edits) {
    if (edit.uid === undefined || edit.state === "superseded") continue;
    const other = newest.get(edit.uid);
    if (!other || ascending(other.at, edit.at) <= 0) newest.set(edit.uid, edit);
  }
  return newest;
}

/** The position one further on the same level. */
export function nextPosition(position: string): string {
  const parts = position.split(".");
  const last = Number(parts.pop());
  return [...parts, last + 1].join(".");
}

/** The position of the neighbour on the same level; nothing at its ends. */
export function besidePosition(todos: Item[], position: string, step: -1 | 1): string | undefined {
  const parts = position.split(".");
  const beside = [...parts.slice(0, -1), Number(parts.at(-1)) + step].join(".");
  return itemAt(todos, beside) ? beside : undefined;
}

/** True if an item can be put on the other level: under the one above it, or out of the one that it belongs to. */
export function hasOtherLevel(position: string, out: boolean): boolean {
  return out === position.includes(".") && position !== "1";
}

/** The item or subtask at a position. */
export function itemAt(todos: Item[], position: string): Item | undefined {
  const [top, sub] = position.split(".").map(Number);
  const item = todos[(top ?? 0) - 1];
  return sub === undefined ? item : item?.subtasks?.[sub - 1];
}

/** Position of an item or subtask. */
export function positionOf(todos: Item[], uid: string): string | undefined {
  for (const [index, item] of todos.entries()) {
    if (item.uid === uid) return String(index + 1);
    const at = item.subtasks?.findIndex((subtask) => subtask.uid === uid) ?? -1;
    if (at >= 0) return `${index + 1}.${at + 1}`;
  }
  return undefined;
}

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

/** The text that the user typed into the add field, and the position, if one was given. */
type Typed = { content: string; position?: string };

const SUBTASK = /^(\d+\.(?:\d+|last))\s+(\S.*)$/su;

/** Only `2.1 text` and `2.last text` name a place; everything else is the step's own text. */
export function readTyped(text: string): Typed {
  const [, position, content] = SUBTASK.exec(text.trim()) ?? [];
  return position !== undefined && content !== undefined ? { content, position } : { content: text.trim() };
}
