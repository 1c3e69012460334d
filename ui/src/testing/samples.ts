import type { EditView, Item, Need, NeedKind, SessionTodos } from "../protocol/types";
import type { Status } from "../protocol/types";

/** Fixed, so that no test depends on the day it runs on. */
export const AT = "2026-11-20T14:02:00Z";

export function item(
  uid: string,
  status: Status = "pending",
  more: Partial<Omit<Item, "status">> = {},
): Item {
  const base = { uid, id: uid, content: `Step ${uid}`, origin: "agent", createdAt: AT, statusAt: AT };
  return { ...base, ...more, status } as unknown as Item;
}

export function edit(uid: string | undefined, more: Partial<EditView> = {}): EditView {
  const base = {
    editId: `edit-${uid ?? "all"}`,
    kind: "add",
    text: "x",
    state: "queued",
    at: AT,
    client: "page",
  };
  return { ...base, ...(uid === undefined ? {} : { uid }), ...more } as EditView;
}

export function need(kind: NeedKind, more: Partial<Need> = {}): Need {
  return { id: `${kind}:1`, kind, since: AT, text: "", ...more };
}

export function session(sessionId: string, todos: Item[], more: Partial<SessionTodos> = {}): SessionTodos {
  const counted = todos.map((todo) => String(todo.status));
  const completed = counted.filter((status) => status === "completed" || status === "skipped").length;
  const total = counted.filter((status) => status !== "cancelled").length;
  return {
    sessionId,
    listId: `list-${sessionId}`,
    title: `Title of ${sessionId}`,
    agent: { name: "codex" },
    project: `project-${sessionId}`,
    branch: "main",
    state: "running",
    listState: "active",
    progress: { completed, total, fraction: total > 0 ? completed / total : 0 },
    revision: 1,
    createdAt: AT,
    lastActivityAt: AT,
    stateAt: AT,
    current: true,
    connected: true,
    callsSinceList: 0,
    todos,
    edits: [],
    ...more,
  };
}
