import type { EditView, Progress, Session } from "../protocol/types";
import type { Run } from "../state/runs";
import { nameOf } from "../text/words";

/** What stands in the ring: `3/8`, or nothing while there is no list. */
export function figureOf({ completed, total }: Progress): string {
  if (total === 0) return "";
  const figure = `${completed}/${total}`;
  return figure.length <= 5 ? figure : `${Math.floor((100 * completed) / total)}%`;
}

/** How far a list is, for a link's name. */
export function doneWords({ completed, total }: Progress): string {
  return total === 0 ? "no steps" : `${completed} of ${total}`;
}

/** What tells a session from another of its project: the agent, the branch, and what it is about. */
export function asideOf(session: Session): string {
  const title = session.title === nameOf(session) ? undefined : session.title;
  return [session.agent.name, session.branch, title].filter(Boolean).join(" · ");
}

/** What a run is called: a subagent's project is that of whom it works for, so it goes by what it is about. */
export function runName({ known: { session }, parent }: Run): string {
  return parent ? session.title || session.agent.name : nameOf(session);
}

/** What stands beside that. */
export function runAside({ known: { session }, parent }: Run): string {
  return parent ? `subagent of ${nameOf(parent.known.session)} · ${session.agent.name}` : asideOf(session);
}

/** How many of the user's edits are in a state, and how that is said. */
export type Counted = { tone: "queued" | "told" | "against"; sign: string; words: string };

/** An edit that was taken this long ago is no news. */
const NEWS = 3_600_000;

/**
 * How far the user's edits have come, each state only where there is one: those that the agent has not heard of, those
 * that it has and has not answered, and those that it went against. Where nothing is open, those it has just taken.
 */
export function countEdits(edits: EditView[], now: number): Counted[] {
  const inState = (state: EditView["state"]): EditView[] => edits.filter((edit) => edit.state === state);
  const of = (these: EditView[], tone: Counted["tone"], sign: string, words: string): Counted[] =>
    these.length > 0 ? [{ tone, sign, words: `${these.length} ${words}` }] : [];
  const open = [
    ...of(inState("overridden"), "against", "↯", "overridden"),
    ...of(inState("ignored"), "against", "↯", "ignored"),
    ...of(inState("queued"), "queued", "↥", "queued"),
    // A note that was told is done with; it asks for no answer.
    ...of(
      inState("delivered").filter(({ kind }) => kind !== "note"),
      "told",
      "✓",
      "told",
    ),
  ];
  if (open.length > 0) return open;
  const taken = inState("reflected").filter(({ at }) => now - Date.parse(at) < NEWS);
  return of(taken, "told", "✓✓", taken.length === 1 ? "edit taken in" : "edits taken in");
}

/** Two letters for an agent. */
export function initials(session: Session): string {
  return [...session.agent.name].slice(0, 2).join("");
}
