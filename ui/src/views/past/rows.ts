import type { Item, SessionAt } from "../../protocol/types";
import { withGhosts } from "../../state/ghosts";
import { toRows, type Row } from "../../state/rows";

/** The change of a revision to a row. */
type Mark = "added" | "changed" | "removed";

/** A line of a list as it was. */
export type PastRow = Row & { mark: Mark | undefined };

/** The list at a revision, with what that took out where it stood in the list before. */
export function pastRows({ todos, change, removed = [] }: SessionAt, before: Item[] | undefined): PastRow[] {
  const rows = withGhosts(toRows(todos, [], []), goneRows(removed, before));
  const added = new Set(change?.added);
  const changed = new Set(change?.changed);
  const markOf = (row: Row): Mark | undefined => {
    if (row.gone) return "removed";
    return added.has(row.item.uid) ? "added" : changed.has(row.item.uid) ? "changed" : undefined;
  };
  return rows.map((row) => Object.assign({}, row, { mark: markOf(row) }));
}

/** Where it is not known how the list was before, they stand at its end. */
function goneRows(removed: Item[], before: Item[] | undefined): Row[] {
  const known = new Map(toRows(before ?? [], [], []).map((row) => [row.item.uid, row]));
  return removed
    .map((item): Row => {
      const old = known.get(item.uid);
      const end = { position: "9999", isSubtask: false };
      return { item, ...end, edit: undefined, waitsFor: undefined, ...old };
    })
    .toSorted((a, b) => byPosition(a.position, b.position));
}

function byPosition(left: string, right: string): number {
  const [a = [], b = []] = [left, right].map((position) => position.split(".").map(Number));
  return (a[0] ?? 0) - (b[0] ?? 0) || (a[1] ?? 0) - (b[1] ?? 0);
}
