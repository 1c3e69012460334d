import type { Session, SessionState } from "../protocol/types";

/** One session has the window to itself; many share it in cards; more than fit fall back to lines. */
export type Layout = "one" | "cards" | "dense" | "lines";

export function layoutFor(sessions: number): Layout {
  if (sessions === 1) return "one";
  if (sessions <= 6) return "cards";
  return sessions <= 12 ? "dense" : "lines";
}

const ORDER: [SessionState, string][] = [
  ["waiting", "waiting for you"],
  ["running", "running"],
  ["idle", "idle"],
  ["finished", "finished"],
  ["failed", "failed"],
  ["stale", "stale"],
];

/** `1 waiting for you · 2 running`. */
export function summary(sessions: Session[]): string {
  return ORDER.map(([state, words]) => [sessions.filter((session) => session.state === state).length, words])
    .filter(([number]) => number !== 0)
    .map((part) => part.join(" "))
    .join(" · ");
}
