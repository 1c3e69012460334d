import type { Session } from "../protocol/types";

export type Tone = "active" | "done" | "needs" | "quiet";

/** The colour of a session's ring; its words say the same. */
export function toneOf(session: Session): Tone {
  const { state, progress } = session;
  if (state === "waiting") return "needs";
  if (progress.total > 0 && progress.completed === progress.total) return "done";
  return state === "running" ? "active" : "quiet";
}

/** A session that was heard of this recently is seen to be at work. */
const FRESH = 60_000;

/** True if the ring of its step in progress turns. */
export function isFresh(session: Session, now: number): boolean {
  return session.state === "running" && now - Date.parse(session.lastActivityAt) < FRESH;
}
