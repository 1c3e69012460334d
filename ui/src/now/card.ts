import type { EditView, Progress, Session } from "../protocol/types";
import { nameOf } from "../text/words";

/** What stands in the ring: `3/8`, or nothing while there is no list. */
export function figureOf({ completed, total }: Progress): string {
  if (total === 0) return "";
  const figure = `${completed}/${total}`;
  return figure.length <= 5 ? figure : `${Math.floor((100 * completed) / total)}%`;
}

/** What tells a session from another of its project: the agent, the branch, and what it is about. */
export function asideOf(session: Session): string {
  const title = session.title === nameOf(session) ? undefined : session.title;
  return [session.agent.name, session.branch, title].filter(Boolean).join(" · ");
}

/** How many edits the agent has not heard of, and how many it has not answered. */
export function openEdits(edits: EditView[]): { queued: number; delivered: number } {
  const inState = (state: EditView["state"]): number => edits.filter((edit) => edit.state === state).length;
  return { queued: inState("queued"), delivered: inState("delivered") };
}

/** Two letters for an agent. */
export function initials(session: Session): string {
  return [...session.agent.name].slice(0, 2).join("");
}
