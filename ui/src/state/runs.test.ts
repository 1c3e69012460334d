import { expect, test } from "vitest";
import type { SessionTodos } from "../protocol/types";
import { bareRun, ownList } from "../testing/runs";
import { item, need, session } from "../testing/samples";
import type { KnownSession } from "./apply";
import { canHear, hasList, toRuns, type Run } from "./runs";

function known(told: SessionTodos): KnownSession {
  return { session: told, todos: told.todos, edits: told.edits, whole: true, ways: {} };
}

function runs(...told: SessionTodos[]): Map<string, Run> {
  return toRuns(told.map(known), new Map());
}

const ids = (all: Map<string, Run>): string[] => [...all.keys()];

test("an own list stands for a run that has none of ours, and says so", () => {
  const all = runs(bareRun("s", { title: "Asked", drifts: true, callsSinceList: 20 }), ownList("s"));
  expect(ids(all)).toEqual(["s"]);
  const run = all.get("s");
  expect(run?.listId).toBe("s-own");
  expect(run?.known.todos.map(({ uid }) => uid)).toEqual(["x", "y", "z", "w"]);
  expect(run?.known.session).toMatchObject({
    sessionId: "s",
    title: "Asked",
    ownTool: "update_plan",
    listState: "active",
    revision: 1,
    progress: { completed: 1, total: 4 },
    drifts: true,
    callsSinceList: 20,
  });
});

test("our list stands for a run as soon as it was written, also when it was emptied since", () => {
  const run = runs(ownList("s"), session("s", [], { revision: 2, listState: "known-empty" })).get("s");
  expect(run?.listId).toBe("s");
  expect(run?.known.session.ownTool).toBeUndefined();
  expect(run?.known.todos).toEqual([]);
  expect(run?.own?.session.sessionId).toBe("s-own");
});

test("what an agent does is what its run does, whichever list is shown", () => {
  const waiting = bareRun("s", {
    state: "waiting",
    stateReason: "approval",
    lastActivityAt: "2026-11-20T15:00:00Z",
  });
  const run = runs(waiting, ownList("s", { state: "stale", connected: false })).get("s");
  expect(run?.known.session).toMatchObject({ state: "waiting", stateReason: "approval" });
  expect(run?.own?.session).toMatchObject({ state: "waiting", connected: true });
  expect(run?.known.session.lastActivityAt).toBe("2026-11-20T15:00:00Z");
});

test("an own list whose run is not known is shown by itself", () => {
  const all = runs(ownList("gone"), ownList("other", { parentSessionId: "gone-own" }));
  expect(ids(all).toSorted()).toEqual(["gone-own", "other-own"]);
  expect(all.get("gone-own")?.listId).toBe("gone-own");
});

function child(id: string, parent: string, more: Partial<SessionTodos> = {}): SessionTodos {
  return session(id, [item(id)], { parentSessionId: parent, ...more });
}

test("subagents come after whom they work for, also when they wait", () => {
  const all = runs(
    session("old", [], { createdAt: "2026-11-20T10:00:00Z" }),
    child("b", "old", { createdAt: "2026-11-20T10:02:00Z" }),
    child("a", "old", { createdAt: "2026-11-20T10:01:00Z" }),
    child("deep", "a", { createdAt: "2026-11-20T10:03:00Z" }),
    session("young", [], { createdAt: "2026-11-20T12:00:00Z" }),
  );
  expect(ids(all)).toEqual(["young", "old", "a", "deep", "b"]);
  expect(all.get("deep")?.parent?.id).toBe("a");
  expect(all.get("old")?.children.map(({ id }) => id)).toEqual(["a", "b"]);
  const waits = runs(
    session("young", [], { createdAt: "2026-11-20T12:00:00Z" }),
    session("old", [], { createdAt: "2026-11-20T10:00:00Z" }),
    child("a", "old", { state: "waiting" }),
  );
  expect(ids(waits)).toEqual(["young", "old", "a"]);
});

test("what names itself or goes round in a circle is shown all the same", () => {
  const circle = [
    session("a", [], { parentSessionId: "b" }),
    session("b", [], { parentSessionId: "c" }),
    session("c", [], { parentSessionId: "a" }),
    session("self", [], { parentSessionId: "self" }),
    ownList("me", { sessionId: "me-own", parentSessionId: "me-own" }),
  ];
  expect(ids(runs(...circle)).toSorted()).toEqual(["a", "b", "c", "me-own", "self"]);
});

test("of two own lists the one that was written last is shown", () => {
  const first = ownList("s", { sessionId: "first", lastActivityAt: "2026-11-20T10:00:00Z" });
  const second = ownList("s", { sessionId: "second", lastActivityAt: "2026-11-20T11:00:00Z" });
  expect(runs(second, bareRun("s", { listSessionId: "second" }), first).get("s")?.listId).toBe("second");
});

test("a run that did not change stays the same object", () => {
  const told = [known(session("s", [item("a")])), known(bareRun("t")), known(ownList("t"))];
  const before = toRuns(told, new Map());
  const after = toRuns([...told, known(session("u", []))], before);
  expect(after.get("s")).toBe(before.get("s"));
  expect(after.get("t")).toBe(before.get("t"));
  const [s, t, own] = told as [KnownSession, KnownSession, KnownSession];
  const more = { ...own, edits: [] };
  const changed = toRuns([s, t, more], before).get("t");
  expect(changed).not.toBe(before.get("t"));
  expect(changed?.known.session).toBe(before.get("t")?.known.session);
});

test.each([
  ["our list", [session("s", [item("a")]), ownList("s", { readOnly: true })], true],
  ["an own list that can be told", [bareRun("s"), ownList("s")], true],
  ["only a list that it keeps for itself", [bareRun("s"), ownList("s", { readOnly: true })], false],
  [
    "that, but connected",
    [bareRun("s", { listState: "never-called" }), ownList("s", { readOnly: true })],
    true,
  ],
  ["nothing that can be told", [session("s", [item("a")], { readOnly: true })], false],
])("of a run with %s it is known whether it hears", (_, told, hears) => {
  expect(canHear(runs(...told).get("s") as Run)).toBe(hears);
});

const at = (minute: number): string => `2026-11-20T14:0${minute}:00Z`;

const told = (happens: Partial<SessionTodos> = {}): SessionTodos[] => [
  session("muted", [], { createdAt: at(9), muted: true }),
  session("old", [], { createdAt: at(0), ...happens }),
  session("middle", [], { createdAt: at(1) }),
  session("young", [], { createdAt: at(3) }),
  session("sub", [], { createdAt: at(4), parentSessionId: "old" }),
  session("sub-first", [], { createdAt: at(2), parentSessionId: "old", ...happens }),
  session("pinned", [], { createdAt: at(0), state: "finished", pinned: true }),
];

test("runs keep their places whatever happens to them: by hand, else by their start", () => {
  const order = ["pinned", "young", "middle", "old", "sub-first", "sub", "muted"];
  expect(ids(runs(...told()))).toEqual(order);
  for (const state of ["waiting", "failed", "idle", "finished"] as const) {
    const needs = [need("blocked", { since: at(4) })];
    expect(ids(runs(...told({ state, stateAt: at(5), lastActivityAt: at(6), needs })))).toEqual(order);
  }
  const byHand = toRuns(told().map(known), new Map(), ["old", "gone", "young"]);
  expect(ids(byHand), "one that was put nowhere stays where it is").toEqual([
    "pinned",
    "old",
    "sub-first",
    "sub",
    "middle",
    "young",
    "muted",
  ]);
});

test.each([
  [0, "known-empty", false],
  [1, "never-called", false],
  [1, "unknown", false],
  [1, "known-empty", true],
  [2, "active", true],
] as const)("revision %s of a list that is %s: a list was written is %s", (revision, listState, is) => {
  expect(hasList({ revision, listState })).toBe(is);
});

test("a run and its subagents stay the very same objects while nothing happens to any of them", () => {
  const sessions = ["a", "b"].flatMap((id) => [
    session(id, []),
    session(`${id}1`, [], { parentSessionId: id }),
    session(`${id}2`, [], { parentSessionId: `${id}1` }),
  ]);
  const all = sessions.map(known);
  const before = toRuns(all, new Map());
  const next = all.with(2, known(session("a2", [], { parentSessionId: "a1" })));
  const after = toRuns(next, before);
  expect(ids(after)).toEqual(ids(before));
  const same = [...after.values()].filter((run) => before.get(run.id) === run);
  expect(same.map(({ id }) => id).toSorted()).toEqual(["b", "b1", "b2"]);
  // One that works for nobody any more is another run, and so is the one that it worked for.
  const alone = session("b2", []);
  const left = toRuns([...next.slice(0, 5), known(alone)], after);
  expect(left.get("b2")?.parent).toBeUndefined();
  expect(left.get("b")?.children[0]?.children).toEqual([]);
  expect(left.get("a")).toBe(after.get("a"));
});
