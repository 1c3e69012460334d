import type { Grouping } from "../../state/look.svelte";
import type { Run } from "../../state/runs";
import type { Board } from "./board";

type By = "project" | "tag" | "agent";

/** Runs under one heading. */
type Group = {
  key: string;
  /** The project, the tag or the agent; nothing where a run has none. */
  name: string | undefined;
  runs: Run[];
  /** It has what is alone in its project. */
  isRest: boolean;
};

/** A board in groups; none where it stands by state. */
export type Grouped = { by: By | undefined; groups: Group[] };

/** With more than this, sessions are grouped by project unless the user chose otherwise. */
const MANY = 8;

/**
 * The runs of a board that are neither pinned nor muted, in groups by name, those without one last. `order` is that of
 * all runs: within its group nothing changes its place because it came to rest.
 */
export function grouped(board: Board, order: readonly Run[], grouping: Grouping): Grouped {
  const there = new Set([...board.active, ...board.idle, ...board.finished]);
  const runs = order.filter((run) => there.has(run));
  if (grouping !== "auto") {
    const by = grouping === "none" ? undefined : grouping;
    return { by, groups: by === undefined ? [] : groupsOf(runs, by) };
  }
  if (runs.length + board.pinned.length <= MANY) return { by: undefined, groups: [] };
  // A heading over one session each would only make the board longer.
  const all = groupsOf(runs, "project");
  const several = all.filter((group) => group.runs.length > 1);
  if (several.length === 0) return { by: undefined, groups: [] };
  const together = new Set(several.flatMap((group) => group.runs));
  const others = runs.filter((run) => !together.has(run));
  const rest: Group = { key: "rest", name: undefined, runs: others, isRest: true };
  return { by: "project", groups: others.length > 0 ? [...several, rest] : several };
}

function groupsOf(runs: readonly Run[], by: By): Group[] {
  const groups = new Map<string, Group>();
  for (const run of runs) {
    const name = nameIn(run, by);
    const key = `${by} ${name ?? ""}`;
    const group = groups.get(key) ?? { key, name, runs: [], isRest: false };
    group.runs.push(run);
    groups.set(key, group);
  }
  return [...groups.values()].toSorted(byName);
}

/** A run with several tags stands under the one that it has had longest. */
function nameIn({ known: { session }, ours }: Run, by: By): string | undefined {
  if (by === "agent") return session.agent.name;
  return by === "tag" ? ours.session.tags?.[0] : session.project;
}

function byName(a: Group, b: Group): number {
  if (a.name === undefined || b.name === undefined) {
    return Number(a.name === undefined) - Number(b.name === undefined);
  }
  return a.name.localeCompare(b.name);
}
