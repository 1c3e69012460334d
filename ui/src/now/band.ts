import { activeOf, hasEnded, wordsOf, type StepStatus } from "../state/steps";
import type { Known } from "../state/apply";
import { emptyWords } from "../text/words";

/** The one line of a session that says what it is at. */
export type Band = {
  tone: "active" | "needs" | "done" | "idle" | "fail";
  status: StepStatus;
  words: string;
  /** Since when, for a step in progress. */
  since?: string;
};

export function bandOf({ session, todos, edits, whole }: Known): Band {
  const active = activeOf(todos);
  if (session.state === "waiting") return { tone: "needs", status: "blocked", words: "Waiting for you" };
  if (session.state === "failed") return { tone: "fail", status: "cancelled", words: "Failed" };
  if (active) {
    return { tone: "active", status: "in_progress", words: wordsOf(active), since: active.statusAt };
  }
  if (session.progress.total > 0 && session.progress.completed === session.progress.total) {
    return { tone: "done", status: "completed", words: "All steps done" };
  }
  const next = todos.find((item) => !hasEnded(item));
  if (next) return { tone: "idle", status: "pending", words: next.content };
  if (!whole) return { tone: "idle", status: "pending", words: session.title };
  return {
    tone: "idle",
    status: "pending",
    words: emptyWords(session.listState, session.revision, edits).title,
  };
}
