import { m } from "../paraglide/messages";
import type { Item, Status } from "../protocol/types";
import type { KnownSession } from "../state/apply";
import { activeOf, hasEnded, wordsOf } from "../state/steps";
import { brief } from "../shared/text/plain";
import { emptyWords, reasonOf } from "./words";

/** The one line of a session that says what it is at. */
export type Band = {
  tone: "active" | "needs" | "done" | "idle" | "fail";
  glyph: Status | "attention";
  words: string;
  /** The step that it names. */
  step?: Item;
};

/** The meaning of its glyph: of a step its status, else the words say it. */
export function glyphName({ step }: Band): string | undefined {
  return step ? undefined : "";
}

export function bandOf({ session, todos, edits, whole }: KnownSession): Band {
  const active = activeOf(todos);
  const reason = reasonOf(session);
  const why = reason === undefined ? undefined : brief(reason);
  if (session.state === "waiting") {
    const words = why === undefined ? m.now_waiting() : m.now_waiting_for({ why });
    return { tone: "needs", glyph: "attention", words };
  }
  if (session.state === "failed") {
    const words = why === undefined ? m.now_failed() : m.now_failed_why({ why });
    return { tone: "fail", glyph: "cancelled", words };
  }
  if (active) {
    // Only an agent that is at work is shown at work.
    const tone = session.state === "running" ? "active" : "idle";
    return { tone, glyph: "in_progress", words: wordsOf(active), step: active };
  }
  if (session.progress.total > 0 && session.progress.completed === session.progress.total) {
    return { tone: "done", glyph: "completed", words: m.now_all_done() };
  }
  const next = todos.find((item) => !hasEnded(item));
  if (next) return { tone: "idle", glyph: "pending", words: next.content, step: next };
  if (!whole) return { tone: "idle", glyph: "pending", words: session.title };
  return {
    tone: "idle",
    glyph: "pending",
    words: emptyWords(session, edits).title,
  };
}
