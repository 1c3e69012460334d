import type { EditView, Item, Need } from "../protocol/types";
import type { KnownSession } from "./apply";
import { ascending } from "../shared/order";
import type { Run } from "./runs";

/** Something that an agent needs of the user. */
export type NeedEntry = {
  /** Names it among all. */
  key: string;
  need: Need;
  /** The run that it belongs to; of several the one that has needed it longest. */
  run: Run;
  /** The list that it is of: that of the run, or its agent's own. */
  of: KnownSession;
  /** All the runs that it is about: more than one where one deed settles them all. */
  runs: Run[];
};

/** The groups of needs, in their order. */
export const GROUPS = ["blocked", "edits", "health"] as const;
export type NeedGroup = (typeof GROUPS)[number];

/** The group of a need: the agent cannot go on without the user, goes against an edit, or is not to be seen well. */
export function groupOf({ kind }: Need): NeedGroup {
  if (kind === "overridden" || kind === "ignored") return "edits";
  return kind === "drift" || kind === "toolOff" || kind === "overlap" ? "health" : "blocked";
}

/**
 * Everything that the user is needed for, group by group, the longest first; one entry for each agent whose list is
 * off.
 */
export function needsOf(order: Run[]): NeedEntry[] {
  const entries: NeedEntry[] = [];
  const offs = new Map<string, NeedEntry>();
  for (const run of order) {
    if (isSilenced(run)) continue;
    for (const entry of needsOfRun(run)) {
      if (entry.need.kind === "toolOff") gather(offs, entry);
      else entries.push(entry);
    }
  }
  return [...entries, ...offs.values()].toSorted((a, b) => byGroup(a, b) || byAge(a, b));
}

/** `next`, with every entry that is as in `before` being the very same object, and the very same list where all are. */
export function reuseNeeds(before: NeedEntry[], next: NeedEntry[]): NeedEntry[] {
  const known = new Map(before.map((entry) => [entry.key, entry]));
  const merged = next.map((entry) => {
    const old = known.get(entry.key);
    return old && isSame(old, entry) ? old : entry;
  });
  return areSame(before, merged) ? before : merged;
}

function isSame(left: NeedEntry, right: NeedEntry): boolean {
  const { need, run, of, runs } = left;
  return need === right.need && run === right.run && of === right.of && areSame(runs, right.runs);
}

function areSame<T>(left: readonly T[], right: readonly T[]): boolean {
  return left.length === right.length && left.every((each, at) => each === right[at]);
}

/** The needs of one run: those of its session, and those of its agent's own list. */
export function needsOfRun(run: Run): NeedEntry[] {
  const { ours, own } = run;
  if (!ours.session.needs && !own?.session.needs) return [];
  // That our tool is off is no matter where the agent's own list is there to see.
  const matters = ({ kind }: Need): boolean => kind !== "toolOff" || !own;
  return [ours, ...(own ? [own] : [])].flatMap((of) =>
    (of.session.needs ?? []).filter(matters).map((need) => {
      return { key: `${of.session.sessionId} ${need.id}`, need, run, of, runs: [run] };
    }),
  );
}

/** True if nothing is told of a run: the user muted it or took it off the board, or its parent. */
export function isSilenced({ ours: { session }, parent }: Run): boolean {
  return session.muted === true || session.dismissed === true || (parent !== undefined && isSilenced(parent));
}

/** Since when a run has wanted the user's attention, which a list that is off does not. */
export function wantingSince(run: Run): string | undefined {
  const { session } = run.ours;
  if (session.muted) return undefined;
  let since = session.state === "waiting" ? session.stateAt : undefined;
  for (const { need } of needsOfRun(run)) {
    if (need.kind !== "toolOff" && (since === undefined || need.since < since)) since = need.since;
  }
  return since;
}

/** The step that a need is about, as far as it is still there. */
export function stepOf({ need, of }: NeedEntry): Item | undefined {
  if (need.uid === undefined) return undefined;
  for (const item of of.todos) {
    const found = item.uid === need.uid ? item : item.subtasks?.find(({ uid }) => uid === need.uid);
    if (found) return found;
  }
  return undefined;
}

/** The edit that a need is about. */
export function editOf({ need, of }: NeedEntry): EditView | undefined {
  return need.editId === undefined ? undefined : of.edits.find(({ editId }) => editId === need.editId);
}

function gather(offs: Map<string, NeedEntry>, entry: NeedEntry): void {
  const { name } = entry.run.ours.session.agent;
  const key = `toolOff ${name}`;
  const other = offs.get(key);
  const oldest = other && byAge(other, entry) <= 0 ? other : entry;
  offs.set(key, { ...oldest, key, runs: [...(other?.runs ?? []), entry.run] });
}

function byGroup(a: NeedEntry, b: NeedEntry): number {
  return GROUPS.indexOf(groupOf(a.need)) - GROUPS.indexOf(groupOf(b.need));
}

function byAge(a: NeedEntry, b: NeedEntry): number {
  return ascending(a.need.since, b.need.since) || ascending(a.key, b.key);
}
