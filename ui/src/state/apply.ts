import type { Message } from "../backend/backend";
import type { Actor, EditView, Item, Session, SessionTodos, Transport } from "../protocol/types";

/** The author of a revision, and its time. */
export type Made = { revision: number; actor: Actor; at: string };

/** A session as the gateway last told it. */
export type KnownSession = {
  session: Session;
  todos: Item[];
  edits: EditView[];
  /** The list is known; one from `session.list` comes without. */
  whole: boolean;
  /** The author of the newest revision that this is known of. */
  made?: Made | undefined;
  /** The ways in that edits took, by their ids, as far as they were seen. */
  ways: Readonly<Record<string, Transport>>;
};

/** The beginning of the label of a self-test's session. */
const SELF_TEST = "sightline self-test";

/** The name that terminals give themselves: they all undo each other's edits. */
const TERMINALS = "cli";

export type Sessions = Map<string, KnownSession>;

/**
 * Takes one message into `sessions` and gives the ids of those that it changed.
 *
 * Never backwards: what is of an older revision than what is there is left.
 */
export function apply(sessions: Sessions, message: Message, now = new Date()): Iterable<string> {
  switch (message.type) {
    case "events.subscribe.result":
      return applySnapshot(sessions, message);
    case "todo.update": {
      const { sessionId, revision, todos, session, actor } = message;
      return put(sessions, sessionId, revision, {
        ...known(session, todos),
        made: { revision, actor, at: now.toISOString() },
      });
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
  const added = listed.filter((session) => !sessions.has(session.sessionId) && !isTest(session));
  for (const session of added) {
    sessions.set(session.sessionId, { session, todos: [], edits: [], whole: false, ways: {} });
  }
  return added.map(({ sessionId }) => sessionId);
}

/** Takes one session that was asked for, with its list. */
export function applyFetched(
  sessions: Sessions,
  fetched: Pick<KnownSession, "session" | "todos" | "edits">,
): string[] {
  const { session } = fetched;
  return put(sessions, session.sessionId, session.revision, { ...fetched, whole: true, ways: {} });
}

/** Takes who made a session's newest revision, which was asked for. */
export function applyMade(sessions: Sessions, sessionId: string, made: Made): string[] {
  const before = sessions.get(sessionId);
  if (!before || (before.made && before.made.revision >= made.revision)) return [];
  sessions.set(sessionId, { ...before, made });
  return [sessionId];
}

function put(sessions: Sessions, id: string, revision: number, next: KnownSession): string[] {
  if (isTest(next.session)) return [];
  const before = sessions.get(id);
  if (before?.whole && before.session.revision > revision) return [];
  sessions.set(id, { ...next, made: next.made ?? before?.made, ways: waysOf(next, before) });
  return [id];
}

/** It is there for a moment, and nobody's work. */
function isTest({ label }: Session): boolean {
  return label?.startsWith(SELF_TEST) ?? false;
}

function known(session: SessionTodos, todos: Item[]): KnownSession {
  return { session, todos, edits: session.edits, whole: true, ways: {} };
}

/** An edit that comes with a user's revision took the same way in as that. */
function waysOf({ edits, made }: KnownSession, before: KnownSession | undefined): KnownSession["ways"] {
  const fresh = made?.actor.kind === "user" && before?.whole ? made.actor.transport : undefined;
  const old = new Set(before?.edits.map(({ editId }) => editId));
  const ways = edits.map(({ editId, client }): [string, Transport | undefined] => [
    editId,
    client === TERMINALS ? "cli" : old.has(editId) ? before?.ways[editId] : fresh,
  ]);
  return Object.fromEntries(ways.filter((way): way is [string, Transport] => way[1] !== undefined));
}

function moved(edit: EditView, event: { state: EditView["state"]; at: string; toolCall?: string }): EditView {
  const next: EditView = { ...edit, state: event.state, at: event.at };
  if (event.state === "delivered") next.deliveredAt = event.at;
  if (event.toolCall !== undefined) next.toolCall = event.toolCall;
  return next;
}
