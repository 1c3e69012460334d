import { m } from "../paraglide/messages";
import type { EditState, EditView, Item, Progress, Session } from "../protocol/types";
import type { Run } from "../state/runs";
import { openPositions } from "../state/rows";
import { number, percent } from "../shared/text/numbers";
import { nameOf, progressWords, stateWords } from "./words";

/** The words in the ring: `3/8`, or nothing while there is no list. */
export function figureOf({ completed, total }: Progress): string {
  if (total === 0) return "";
  const figure = `${number(completed)}/${number(total)}`;
  return figure.length <= 5 ? figure : percent(completed / total);
}

/** A run as its link is called: `codex · billing-api, 3 of 8, running for 4 min`. */
export function runLabel(run: Run, now: number): string {
  const { session } = run.known;
  const progress = session.progress.total === 0 ? m.now_no_steps() : progressWords(session.progress);
  const state = stateWords(session, now);
  return m.now_run({ agent: session.agent.name, session: runName(run), progress, state });
}

/** The name of a run: a subagent's project is that of its parent, so it goes by its title. */
export function runName({ known: { session }, parent }: Run): string {
  return parent ? session.title || session.agent.name : nameOf(session);
}

/** The words beside its name: place and agent, and the prompt where the name does not say it. */
export function runAside(run: Run): string {
  const { session } = run.known;
  if (run.parent) {
    return joined(m.now_subagent_of({ session: nameOf(run.parent.known.session) }), session.agent.name);
  }
  return asideOf(session);
}

/** The folder of a session on this machine; nothing where it lives on another one. */
export function folderHere(session: Session): string | undefined {
  return session.host === undefined ? session.folder : undefined;
}

/** The agent, and where it is at work. */
export function placeWords(session: Session): string {
  const folder = session.folder?.split(/[\\/]/).findLast((part) => part !== "");
  const isElsewhere = folder !== undefined && session.project !== undefined && folder !== session.project;
  return joined(
    session.host !== undefined && m.machines_on({ host: session.host }),
    session.agent.name,
    session.branch,
    isElsewhere && m.now_in_folder({ folder }),
    session.tags?.map((tag) => `#${tag}`).join(" "),
  );
}

/** The prompt, where it is not the run's name already. */
export function askedOf(session: Session): string | undefined {
  return session.title === nameOf(session) ? undefined : session.title || undefined;
}

/** The words that tell a session from another of its project. */
export function asideOf(session: Session): string {
  return joined(placeWords(session), askedOf(session));
}

function joined(...parts: (string | undefined | false)[]): string {
  return parts.filter(Boolean).join(" · ");
}

/** The positions of the steps that a step waits for, such as `2, 3.1`; nothing where it waits for none. */
export function waitsFor(item: Item, todos: Item[]): string | undefined {
  const awaited = new Set(item.waiting ? item.dependsOnUids : []);
  if (awaited.size === 0) return undefined;
  const positions = [...openPositions(todos)].flatMap(([uid, at]) => (awaited.has(uid) ? [at] : []));
  return positions.length === 0 ? undefined : positions.slice(0, NAMED).join(", ");
}

const NAMED = 3;

/** The number of the user's edits in a state, and its words. */
export type Counted = {
  count: number;
  tone: "queued" | "told" | "against";
  sign: string;
  words: string;
};

/** An edit that was taken this long ago is no news. */
const NEWS = 3_600_000;

const SIGNS: Record<Exclude<EditState, "superseded">, Omit<Counted, "words" | "count">> = {
  overridden: { tone: "against", sign: "↯" },
  ignored: { tone: "against", sign: "↯" },
  queued: { tone: "queued", sign: "↥" },
  delivered: { tone: "told", sign: "✓" },
  reflected: { tone: "told", sign: "✓✓" },
};

/**
 * The user's edits by their state, each state only where there is one: those that the agent has not heard of, those
 * that it has and has not answered, and those that it went against. Where nothing is open, those it has just taken.
 */
export function countEdits(edits: EditView[], now: number): Counted[] {
  const of = (state: keyof typeof SIGNS, also?: (edit: EditView) => boolean): Counted[] => {
    const count = edits.filter((edit) => edit.state === state && (also?.(edit) ?? true)).length;
    return count > 0 ? [{ ...SIGNS[state], count, words: m.now_edits_in({ state, count }) }] : [];
  };
  const open = [
    ...of("overridden"),
    ...of("ignored"),
    ...of("queued"),
    // A note that was told is done with; it asks for no answer.
    ...of("delivered", ({ kind }) => kind !== "note"),
  ];
  return open.length > 0 ? open : of("reflected", ({ at }) => now - Date.parse(at) < NEWS);
}

/** Nothing was heard of a run for so long that it recedes; later it is stale. */
const FADES = 300_000;

export function isFading({ state, lastActivityAt }: Session, now: number): boolean {
  return state === "running" && now - Date.parse(lastActivityAt) > FADES;
}
