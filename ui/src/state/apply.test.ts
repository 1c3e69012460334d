import { expect, test } from "vitest";
import type { Message } from "../backend/backend";
import { AT, edit, item, session } from "../testing/samples";
import { SETTINGS } from "../testing/settings";
import { apply, applyFetched, applyListed, applyMade, type Sessions } from "./apply";

const AGENT = { kind: "agent", name: "codex", transport: "mcp" } as const;

function snapshot(sessions: ReturnType<typeof session>[], whole: boolean, deleted: string[] = []): Message {
  return { type: "events.subscribe.result", cursor: "db:1", sessions, settings: SETTINGS, whole, deleted };
}

function update(revision: number, content: string): Message {
  const todos = [item("a", "pending", { content })];
  return {
    type: "todo.update",
    requestId: "r",
    cursor: "db:2",
    sessionId: "s",
    listId: "l",
    revision,
    todos,
    actor: AGENT,
    session: { ...session("s", todos, { revision }), todos: [] },
  };
}

test("it is kept who made the newest revision, and which way each edit took", () => {
  const sessions: Sessions = new Map();
  const old = edit("a", { editId: "old" });
  const typed = edit("a", { editId: "typed", client: "cli" });
  apply(sessions, snapshot([session("s", [item("a")], { edits: [old, typed] })], true));
  expect(sessions.get("s")?.made).toBeUndefined();
  expect(sessions.get("s")?.ways).toEqual({ typed: "cli" });
  applyMade(sessions, "s", { revision: 1, actor: AGENT, at: AT });
  expect(sessions.get("s")?.made?.actor).toBe(AGENT);

  const user = { kind: "user", name: "you", transport: "window" } as const;
  const told = update(2, "two");
  if (told.type !== "todo.update") throw new Error("an update");
  const edits = [old, typed, edit("a", { editId: "new" })];
  apply(sessions, { ...told, actor: user, session: { ...told.session, edits } }, new Date(AT));
  expect(sessions.get("s")?.made).toEqual({ revision: 2, actor: user, at: new Date(AT).toISOString() });
  expect(sessions.get("s")?.ways).toEqual({ typed: "cli", new: "window" });
  applyMade(sessions, "s", { revision: 1, actor: AGENT, at: AT });
  expect(sessions.get("s")?.made?.actor).toBe(user);
});

function contentOf(sessions: Sessions): string | undefined {
  return sessions.get("s")?.todos[0]?.content;
}

test("an update brings its list and its session", () => {
  const sessions: Sessions = new Map();
  expect([...apply(sessions, update(3, "three"))]).toEqual(["s"]);
  expect(contentOf(sessions)).toBe("three");
  expect(sessions.get("s")?.session.progress.total).toBe(1);
});

test("an older revision never replaces a newer one", () => {
  const sessions: Sessions = new Map();
  apply(sessions, update(3, "three"));
  expect([...apply(sessions, update(2, "two"))]).toEqual([]);
  expect(contentOf(sessions)).toBe("three");
});

test("a whole snapshot forgets what it does not hold, another keeps it", () => {
  const sessions: Sessions = new Map();
  apply(sessions, snapshot([session("s", []), session("t", [])], true));
  apply(sessions, snapshot([session("u", [])], false, ["t"]));
  expect([...sessions.keys()].toSorted()).toEqual(["s", "u"]);
  expect([...apply(sessions, snapshot([session("v", [])], true))].toSorted()).toEqual(["s", "u", "v"]);
  expect([...sessions.keys()]).toEqual(["v"]);
});

test("an edit's state moves in place", () => {
  const sessions: Sessions = new Map();
  apply(sessions, snapshot([session("s", [item("a")], { edits: [edit("a", { editId: "e" })] })], true));
  const at = "2026-11-20T15:00:00Z";
  apply(sessions, {
    type: "edit.state",
    cursor: "db:3",
    editId: "e",
    sessionId: "s",
    state: "delivered",
    at,
  });
  expect(sessions.get("s")?.edits[0]).toMatchObject({ state: "delivered", deliveredAt: at });
});

test("a listed session does not replace one whose list is known, and a fetched one brings its list", () => {
  const sessions: Sessions = new Map();
  apply(sessions, snapshot([session("s", [item("a")])], true));
  expect(applyListed(sessions, [session("s", []), session("t", [])])).toEqual(["t"]);
  expect(sessions.get("s")?.todos).toHaveLength(1);
  expect(sessions.get("t")?.whole).toBe(false);
  applyFetched(sessions, { session: session("t", []), todos: [item("b")], edits: [] });
  expect(sessions.get("t")).toMatchObject({ whole: true, todos: [{ uid: "b" }] });
});

test("nobody is shown the list of a self-test", () => {
  const sessions: Sessions = new Map();
  const tested = { ...session("s", [item("a")]), label: "sightline self-test 1" };
  expect([...apply(sessions, snapshot([tested], true))]).toEqual([]);
  expect(applyListed(sessions, [tested])).toEqual([]);
  expect(sessions.size).toBe(0);
});
