import type { Session } from "../protocol/types";
import type { KnownSession } from "./apply";
import { ascending } from "../shared/order";
import { reuse } from "./reuse";

/**
 * One run of one agent, as it is shown: its session, with the list that stands for it.
 *
 * A run has our list, or the agent's built-in one, which is a session of its own under that of the run, or both; the
 * gateway says which of them stands for it.
 */
export type Run = {
  /** The session that it is known by. */
  id: string;
  /** The shown part of it: its session's words, and the steps and the progress of the list that stands for it. */
  known: KnownSession;
  /** The session whose list that is: what is done to the list is done there. */
  listId: string;
  /** The session of the run itself. */
  ours: KnownSession;
  /** That of the agent's own list; its agent is what it is in the run. */
  own: KnownSession | undefined;
  /** The sessions that `own` was made from. */
  ownTold: KnownSession | undefined;
  /** The run whose subagent this is. */
  parent: Run | undefined;
  /** Its subagents, in the order in which they came. */
  children: Run[];
};

/**
 * The runs in their order, which nothing that happens to them changes: as the user put them (`places`), else by their
 * start, the youngest first; subagents after whom they work for.
 */
export function toRuns(
  sessions: Iterable<KnownSession>,
  before: ReadonlyMap<string, Run>,
  places: readonly string[] = [],
): Map<string, Run> {
  const known = new Map([...sessions].map((each) => [each.session.sessionId, each]));
  const owns = new Map<string, KnownSession>();
  for (const each of known.values()) {
    const run = runOf(each, known);
    if (run !== undefined) owns.set(run, newer(owns.get(run), each));
  }
  const runs = new Map<string, Run>();
  for (const [id, ours] of known) {
    if (runOf(ours, known) === undefined) runs.set(id, toRun(ours, owns.get(id), before.get(id)));
  }
  for (const run of runs.values()) relate(run, runs);
  for (const run of runs.values()) run.children.sort(byStart);
  return inOrder(runs, before, places);
}

/** The run that an agent's own list is of, where that is known. */
function runOf({ session }: KnownSession, known: ReadonlyMap<string, KnownSession>): string | undefined {
  if (session.ownTool === undefined) return undefined;
  const run = known.get(session.parentSessionId ?? "")?.session;
  return run && run.ownTool === undefined ? run.sessionId : undefined;
}

/** Of two own lists of one run the one that was written last. */
function newer(left: KnownSession | undefined, right: KnownSession): KnownSession {
  return left && ascending(left.session.lastActivityAt, right.session.lastActivityAt) > 0 ? left : right;
}

function toRun(ours: KnownSession, ownTold: KnownSession | undefined, old: Run | undefined): Run {
  const { sessionId: id, listSessionId } = ours.session;
  const alone = { id, ours, ownTold, parent: undefined, children: [] };
  if (!ownTold) return { ...alone, known: ours, listId: id, own: undefined };
  if (old?.ours === ours && old.ownTold === ownTold) return { ...old, ...alone };
  const own = reuseIf(old?.own, ofRun(ownTold, ours));
  if (listSessionId !== own.session.sessionId) return { ...alone, known: ours, listId: id, own };
  const known = reuseIf(old?.known, standingFor(ours, own));
  return { ...alone, known, listId: own.session.sessionId, own };
}

function reuseIf(before: KnownSession | undefined, next: KnownSession): KnownSession {
  return before ? reuse(before, next) : next;
}

/** An own list, whose agent does what it does in the run. */
function ofRun(own: KnownSession, { session: run }: KnownSession): KnownSession {
  const { session: list } = own;
  const { lastActivityAt } = ascending(run.lastActivityAt, list.lastActivityAt) > 0 ? run : list;
  const life = { state: run.state, connected: run.connected, current: run.current || list.current };
  return { ...own, session: { ...list, ...life, lastActivityAt } };
}

/** A run of which there is only the agent's own list: who it is says the run, how far it is says the list. */
function standingFor({ session: run }: KnownSession, own: KnownSession): KnownSession {
  const { session: list } = own;
  const drifting = list.drifts ? list : run;
  const session: Session = {
    ...run,
    title: run.title || list.title,
    progress: list.progress,
    revision: list.revision,
    listState: list.listState,
    callsSinceList: drifting.callsSinceList,
    current: list.current,
    lastActivityAt: list.lastActivityAt,
    ...(list.ownTool !== undefined && { ownTool: list.ownTool }),
    ...(list.readOnly && { readOnly: true }),
    ...(drifting.drifts && { drifts: true }),
  };
  return { ...own, session };
}

function relate(run: Run, runs: Map<string, Run>): void {
  const parent = runs.get(run.ours.session.parentSessionId ?? "");
  // A run in a circle is nobody's subagent.
  for (let above = parent; above; above = above.parent) if (above === run) return;
  if (!parent) return;
  run.parent = parent;
  parent.children.push(run);
}

function inOrder(
  runs: Map<string, Run>,
  before: ReadonlyMap<string, Run>,
  places: readonly string[],
): Map<string, Run> {
  const ordered = new Map<string, Run>();
  const put = (run: Run): void => {
    ordered.set(run.id, run);
    for (const child of run.children) put(child);
  };
  const roots = [...runs.values()].filter(({ parent }) => !parent);
  const placed = byHand(
    roots.toSorted((a, b) => byStart(b, a)),
    places,
  );
  for (const root of placed.toSorted((a, b) => rankOf(a) - rankOf(b))) {
    const old = before.get(root.id);
    put(old && !old.parent && isSameTree(old, root) ? old : root);
  }
  return ordered;
}

/** True if nothing of a run and its subagents has changed: it stays the very same object, and its views have nothing to do. */
function isSameTree(old: Run, run: Run): boolean {
  return (
    old.id === run.id &&
    old.known === run.known &&
    old.ours === run.ours &&
    old.own === run.own &&
    old.children.length === run.children.length &&
    old.children.every((child, at) => isSameTree(child, run.children[at] ?? run))
  );
}

/** Pinned runs go before all else, and muted ones come last. */
function rankOf({ ours: { session } }: Run): number {
  if (session.pinned) return 0;
  return session.muted ? 2 : 1;
}

function byStart(a: Run, b: Run): number {
  return ascending(a.ours.session.createdAt, b.ours.session.createdAt) || ascending(a.id, b.id);
}

/** Runs in the order that the user gave to some of them: these share the places that they have among all. */
function byHand(runs: Run[], places: readonly string[]): Run[] {
  const ids = new Map(runs.map((run) => [run.id, run]));
  const put = places.flatMap((id) => ids.get(id) ?? []);
  const isPut = new Set(put);
  let next = 0;
  return runs.map((run) => (isPut.has(run) ? (put[next++] ?? run) : run));
}

/** True if a run stands right under its parent, where only current ones are shown. */
export function isUnder({ parent }: Run): boolean {
  return parent?.known.session.current ?? false;
}

/** True if a list was written to a session: the user's messages alone are revisions, too. */
export function hasList({ revision, listState }: Pick<Session, "revision" | "listState">): boolean {
  return revision > 0 && (listState === "active" || listState === "known-empty");
}

/**
 * True if a message to the agent can reach it: not where all that is known of it is a list that it only
 * keeps for itself.
 */
export function canHear({ ours, own }: Run): boolean {
  if (ours.session.readOnly) return false;
  if (ours.session.prompts) return true;
  const isOurs = ours.session.revision > 0 || ours.session.listState === "never-called";
  return isOurs || !own?.session.readOnly;
}
