import type { EditView, Item } from "../protocol/types";

/** One line of the list: an item or a subtask, at its position. */
export type Row = {
  item: Item;
  /** `3`, or `3.1` for a subtask. */
  position: string;
  isSubtask: boolean;
  /** The newest of the user's edits that is about it. */
  edit: EditView | undefined;
};

/** The list as lines; a line that did not change is the very object of `before`. */
export function toRows(todos: Item[], edits: EditView[], before: Row[]): Row[] {
  const editOf = newestEdits(edits);
  const known = new Map(before.map((row) => [row.item.uid, row]));
  const line = (item: Item, position: string, isSubtask: boolean): Row => {
    const edit = editOf.get(item.uid);
    const old = known.get(item.uid);
    const same = old?.item === item && old.position === position && old.edit === edit;
    return same ? old : { item, position, isSubtask, edit };
  };
  return todos.flatMap((item, index) => [
    line(item, String(index + 1), false),
    ...(item.subtasks ?? []).map((subtask, at) => line(subtask, `${index + 1}.${at + 1}`, true)),
  ]);
}

/** The newest edit about each item. */
export function newestEdits(edits: EditView[]): Map<string, EditView> {
  const newest = new Map<string, EditView>();
  for (const edit of edits) {
    if (edit.uid === undefined || edit.state === "superseded") continue;
    const other = newest.get(edit.uid);
    if (!other || other.at <= edit.at) newest.set(edit.uid, edit);
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

/** The item or subtask at a position. */
export function itemAt(todos: Item[], position: string): Item | undefined {
  const [top, sub] = position.split(".").map(Number);
  const item = todos[(top ?? 0) - 1];
  return sub === undefined ? item : item?.subtasks?.[sub - 1];
}
