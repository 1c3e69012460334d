import { m } from "../paraglide/messages";
import type { Item, RevisionView } from "../protocol/types";
import { actorWords } from "./actors";
import { inRow } from "../shared/text/enumerate";

const CAUSES = {
  "todo.write": "write",
  "todo.observe": "observe",
  "todo.manage": "write",
  "todo.add": "add",
  "todo.delete": "delete",
  "todo.clear": "clear",
  "todo.setStatus": "setStatus",
  "todo.edit": "edit",
  "todo.move": "move",
  "todo.indent": "move",
  "todo.undo": "undo",
  "todo.restore": "restore",
  "session.load": "load",
} as const;

/** The author of a revision, and the way it was made: `codex over MCP wrote the list`. */
export function causeWords({ cause, actor }: RevisionView): string {
  const did = Object.hasOwn(CAUSES, cause) ? CAUSES[cause as keyof typeof CAUSES] : "other";
  return m.session_past_what({ cause: did, actor: actorWords(actor) });
}

/** The changes of a revision to the list: `1 added, 2 changed`. */
export function changeCounts({ added, changed, removed }: RevisionView): string {
  const parts = [
    added.length > 0 && m.session_past_added({ count: added.length }),
    changed.length > 0 && m.session_past_changed({ count: changed.length }),
    removed.length > 0 && m.session_past_removed({ count: removed.length }),
  ].filter((part) => part !== false);
  return parts.length > 0 ? inRow(parts) : m.session_past_same();
}

/** The time that a step had been worked on by a moment; nothing where it had not. */
export function workedBy({ status, statusAt, workedMs = 0 }: Item, at: string): number | undefined {
  const going = status === "in_progress" ? Math.max(0, Date.parse(at) - Date.parse(statusAt)) : 0;
  return workedMs + going > 0 || status === "in_progress" ? workedMs + going : undefined;
}
