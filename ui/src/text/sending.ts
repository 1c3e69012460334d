import { m } from "../paraglide/messages";
import type { SendingEdit } from "../protocol/types";
import { STATUSES } from "../state/steps";

const KINDS = {
  "todo.delete": "delete",
  "todo.clear": "clear",
  "todo.edit": "edit",
  "todo.move": "move",
  "todo.indent": "move",
  "todo.undo": "undo",
  "todo.restore": "restore",
  "todo.archive": "archive",
  "session.load": "load",
  "edit.insist": "insist",
} as const;

/** An edit on its way to another machine in words: its text, the status that it sets, or its kind. */
export function sendingWords({ kind, text }: SendingEdit): string {
  if (kind === "todo.setStatus") {
    const status = STATUSES.find((each) => each === text) ?? "unknown";
    return m.machines_edit({ kind: "setStatus", status: m.common_status({ status }) });
  }
  const named = Object.hasOwn(KINDS, kind) ? KINDS[kind as keyof typeof KINDS] : "other";
  return text || m.machines_edit({ kind: named, status: "" });
}
