import { wantingSince } from "../../state/needs";
import { ascending } from "../../shared/order";
import type { Run } from "../../state/runs";

/** Today's runs, by what they are: each part is in the order in which they want attention. */
export type Board = {
  pinned: Run[];
  /** At work, or in need of the user. */
  active: Run[];
  idle: Run[];
  /** Over just now. */
  finished: Run[];
  muted: Run[];
  /** Over for longer, but today; newest first. */
  today: Run[];
  /** Of other days; newest first. */
  earlier: Run[];
};

/** Sorts runs, which come in their order, into the parts of the board. `midnight` is when today began. */
export function boardOf(order: Run[], midnight: string): Board {
  const board: Board = { pinned: [], active: [], idle: [], finished: [], muted: [], today: [], earlier: [] };
  for (const run of order) {
    if (run.ours.session.dismissed) continue;
    if (isOnBoard(run)) {
      if (!isUnderCard(run)) board[partOf(run)].push(run);
    } else if (!run.parent) {
      // Subagents of then are found with the run that they worked for.
      const isToday = run.known.session.lastActivityAt >= midnight;
      board[isToday ? "today" : "earlier"].push(run);
    }
  }
  board.today.sort(byNewest);
  board.earlier.sort(byNewest);
  return board;
}

/** True if a run has its place on the board. */
export function isOnBoard({ known, ours }: Run): boolean {
  const { pinned, dismissed } = ours.session;
  return (known.session.current || pinned === true) && dismissed !== true;
}

/** The subagents that are shown in a run's card, their own after them. */
export function subagentsOf(run: Run): Run[] {
  return run.children.filter(isOnBoard).flatMap(withSubagents);
}

/** A run, and its subagents after it. */
export function withSubagents(run: Run): Run[] {
  return [run].concat(subagentsOf(run));
}

/** The number of runs on the board, without those that are muted. */
export function countOf({ pinned, active, idle, finished }: Board): number {
  return pinned.length + active.length + idle.length + finished.length;
}

/** When today began, as it can be compared with what the gateway tells. */
export function midnightBefore(now: number): string {
  return new Date(new Date(now).setHours(0, 0, 0, 0)).toISOString();
}

function isUnderCard({ parent }: Run): boolean {
  return parent !== undefined && isOnBoard(parent);
}

function partOf(run: Run): "pinned" | "active" | "idle" | "finished" | "muted" {
  const { session } = run.ours;
  if (session.pinned) return "pinned";
  if (session.muted) return "muted";
  const lives = new Set(withSubagents(run).map(lifeOf));
  return LIVES.find((life) => lives.has(life)) ?? "idle";
}

/** The need that says most of a run and its subagents comes first. */
const LIVES = ["active", "idle", "finished"] as const;

function lifeOf(run: Run): (typeof LIVES)[number] {
  const { state } = run.ours.session;
  if (state === "finished") return wantingSince(run) === undefined ? "finished" : "active";
  if (state === "idle" || state === "stale") return wantingSince(run) === undefined ? "idle" : "active";
  return "active";
}

function byNewest(a: Run, b: Run): number {
  return ascending(b.known.session.lastActivityAt, a.known.session.lastActivityAt);
}
