import { GROUPS, groupOf, type NeedEntry, type NeedGroup } from "../../state/needs";

/** A row of the page; one whose entry is settled stands where it was until nobody is at the page. */
export type HeldRow = { entry: NeedEntry; isSettled: boolean };

/**
 * The rows after a change. While somebody is at them none moves: what is settled stays, and what is new comes last in
 * its group.
 */
export function hold(before: HeldRow[], entries: NeedEntry[], isHeld: boolean): HeldRow[] {
  if (!isHeld) return entries.map((entry) => ({ entry, isSettled: false }));
  const now = new Map(entries.map((entry) => [entry.key, entry]));
  const known = new Set(before.map(({ entry }) => entry.key));
  const stay = before.map(({ entry }) => {
    const same = now.get(entry.key);
    return same ? { entry: same, isSettled: false } : { entry, isSettled: true };
  });
  const fresh = entries.filter(({ key }) => !known.has(key)).map((entry) => ({ entry, isSettled: false }));
  return GROUPS.flatMap((group) => rowsOf(group, [...stay, ...fresh]));
}

export function rowsOf(group: NeedGroup, rows: HeldRow[]): HeldRow[] {
  return rows.filter(({ entry }) => groupOf(entry.need) === group);
}
