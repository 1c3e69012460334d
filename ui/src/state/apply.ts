import type { Message } from "../backend/backend";
import type { EditView, Item, Session, SessionTodos } from "../protocol/types";

/** A session as the gateway last told it. */
export type Known = {
  session: Session;
  todos: Item[];
  edits: EditView[];
  /** Whether the list is known; one from `session.list` comes without. */
  whole: boolean;
};

export type Sessions = Map<string, Known>;

/**
 * Takes one message into `sessions` and gives the ids of those that it changed.
 *
 * Never backwards: what is of an older revision than what is there is left.
 */
export function apply(sessions: Sessions, message: Message): Iterable<string> {
  switch (message.type) {
    case "events.subscribe.result":
      return applySnapshot(sessions, message);
    case "todo.update": {
      const { sessionId, revision, todos, session } = message;
      return put(sessions, sessionId, revision, known(session, todos));
    }
    case "session.created":
    case "session.updated":
      return put(sessions, message.sessionId, message.revision, known(message, message.todos));
    case "session.deleted":
      return sessions.delete(message.sessionId) ? [message.sessionId] : [];
    case "edit.state": {
      const before = sessions.get(message.sessionId);
      if (!before) return [];
      const edits = before.edits.map((edit) =>
        edit.editId === message.editId ? moved(edit, message) : edit,
      );
      sessions.set(message.sessionId, { ...before, edits });
      return [message.sessionId];
    }
    default:
      return [];
  }
}

function applySnapshot(
  sessions: Sessions,
  snapshot: { sessions: SessionTodos[]; whole: boolean; deleted: string[] },
): Set<string> {
  const changed = new Set<string>();
  if (snapshot.whole) {
    for (const id of sessions.keys()) changed.add(id);
    sessions.clear();
  }
  for (const id of snapshot.deleted) if (sessions.delete(id)) changed.add(id);
  for (const session of snapshot.sessions) {
    for (const id of put(sessions, session.sessionId, session.revision, known(session, session.todos))) {
      changed.add(id);
    }
  }
  return changed;
}

/** Takes sessions that were asked for, without their lists; what is known already is newer or the same. */
export function applyListed(sessions: Sessions, listed: Session[]): string[] {
  const added = listed.filter(({ sessionId }) => !sessions.has(sessionId));
  for (const session of added) {
    sessions.set(session.sessionId, { session, todos: [], edits: [], whole: false });
  }
  return added.map(({ sessionId }) => sessionId);
}

/** Takes one session that was asked for, with its list. */
export function applyFetched(sessions: Sessions, fetched: Omit<Known, "whole">): string[] {
  const { session } = fetched;
  return put(sessions, session.sessionId, session.revision, { ...fetched, whole: true });
}

function put(sessions: Sessions, id: string, revision: number, next: Known): string[] {
  const before = sessions.get(id);
  if (before?.whole && before.session.revision > revision) return [];
  sessions.set(id, next);
  return [id];
}

function known(session: SessionTodos, todos: Item[]): Known {
  return { session, todos, edits: session.edits, whole: true };
}

function moved(edit: EditView, event: { state: EditView["state"]; at: string; toolCall?: string }): EditView {
  const next: EditView = { ...edit, state: event.state, at: event.at };
  if (event.state === "delivered") next.deliveredAt = event.at;
  if (event.toolCall !== undefined) next.toolCall = event.toolCall;
  return next;
}
