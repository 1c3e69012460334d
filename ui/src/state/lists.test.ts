import { expect, test } from "vitest";
import type { Item } from "../protocol/types";
import { AT, edit, item, session } from "../testing/samples";
import { countEdits } from "../text/runs";
import { withGhosts } from "./ghosts";
import { reuse } from "./reuse";
import { itemAt, nextPosition, toRows } from "./rows";
import { excerptOf } from "./steps";

const nested = [item("a"), item("b", "in_progress", { subtasks: [item("b1"), item("b2")] }), item("c")];

test("subtasks are lines of their own with dotted positions", () => {
  expect(toRows(nested, [], []).map(({ position }) => position)).toEqual(["1", "2", "2.1", "2.2", "3"]);
});

/** The fields of an item that waits for others. */
function waits(uids: (string | null)[]): Partial<Omit<Item, "status">> {
  return { waiting: true, dependsOnUids: uids, dependsOn: uids.map(String) };
}

test("a step says which open steps it waits for, as they are numbered now", () => {
  const todos = [
    item("a", "completed"),
    item("b", "in_progress", { subtasks: [item("b1")] }),
    item("c", "pending", waits(["a", "b", "b1", null, "gone"])),
    item("d", "pending", { dependsOnUids: ["b"] }),
  ];
  expect(toRows(todos, [], []).map((row) => row.waitsFor)).toEqual([
    undefined,
    undefined,
    undefined,
    "2, 2.1",
    undefined,
  ]);
  const many = [...Array(9).keys()].map((at) => item(`m${at}`));
  const last = item("x", "pending", waits(many.map(({ uid }) => uid)));
  expect(toRows([...many, last], [], []).at(-1)?.waitsFor).toBe("1, 2, 3, 4, …");
  const before = toRows(todos, [], []);
  expect(toRows(todos, [], before)).toEqual(before);
  expect(toRows([item("z"), ...todos], [], before)[4]?.waitsFor).toBe("3, 3.1");
});

test("a line that did not change stays the same object", () => {
  const before = toRows(nested, [], []);
  const after = toRows([...nested, item("d")], [edit("c")], before);
  expect(after[0]).toBe(before[0]);
  expect(after[2]).toBe(before[2]);
  expect(after[4], "c has an edit now").not.toBe(before[4]);
});

test("the newest edit that still holds is the one a line shows", () => {
  const edits = [
    edit("a", { editId: "1", at: "2026-11-20T14:00:00Z" }),
    edit("a", { editId: "2", at: "2026-11-20T14:01:00Z", state: "delivered" }),
    edit("a", { editId: "3", at: "2026-11-20T14:02:00Z", state: "superseded" }),
  ];
  expect(toRows([item("a")], edits, [])[0]?.edit?.editId).toBe("2");
});

test("positions lead to items and on to the next", () => {
  expect(itemAt(nested, "2.2")?.uid).toBe("b2");
  expect(itemAt(nested, "3")?.uid).toBe("c");
  expect(itemAt(nested, "2.3")).toBeUndefined();
  expect(["3", "2.9"].map(nextPosition)).toEqual(["4", "2.10"]);
});

function known(todos: ReturnType<typeof item>[]) {
  return { session: session("s", []), todos, edits: [], whole: true, ways: {} };
}

test("parts of a session that did not change are reused", () => {
  const before = known([item("a"), item("b")]);
  const same = reuse(before, known([item("a"), item("b")]));
  expect(same.todos).toBe(before.todos);
  expect(same.session).toBe(before.session);
  const changed = reuse(before, known([item("a"), item("b", "completed")]));
  expect(changed.todos[0]).toBe(before.todos[0]);
  expect(changed.todos[1]).not.toBe(before.todos[1]);
});

test.each([
  { at: 0, room: 3, rows: ["1", "2", "3"], more: 6 },
  { at: 4, room: 3, rows: ["3", "5", "6"], more: 3 },
  { at: 9, room: 3, rows: ["6", "7", "8"], more: 0 },
])("a card at step $at shows the one before and the next ones", ({ at, room, rows, more }) => {
  const todos = Array.from({ length: 10 }, (_, index) =>
    item(String(index), index < at ? "completed" : index === at ? "in_progress" : "pending"),
  );
  const excerpt = excerptOf(todos, room, todos[at]);
  expect({ rows: excerpt.rows.map(({ uid }) => uid), more: excerpt.more }).toEqual({ rows, more });
});

test("a row that is gone stays where it was, for what is typed into it", () => {
  const before = toRows(nested, [], []);
  const held = before.filter(({ position }) => position === "2.1" || position === "3");
  expect(withGhosts(before, held)).toBe(before);
  const left = toRows([item("a"), item("b"), item("d")], [], []);
  expect(withGhosts(left, held).map(({ item: { uid }, gone }) => [uid, gone ?? false])).toEqual([
    ["a", false],
    ["b", false],
    ["b1", true],
    ["c", true],
    ["d", false],
  ]);
  expect(withGhosts([], held).map(({ item: { uid } }) => uid)).toEqual(["b1", "c"]);
});

test("edits are counted by how far they have come, settled ones only when nothing is open", () => {
  const now = Date.parse(AT) + 60_000;
  const counts = (...states: Parameters<typeof edit>[1][]): string[] =>
    countEdits(
      states.map((state) => edit("a", state)),
      now,
    ).map(({ sign, words }) => `${sign} ${words}`);
  const taken = { state: "reflected" } as const;
  expect(counts()).toEqual([]);
  expect(counts(taken, { state: "superseded" })).toEqual(["✓✓ 1 edit applied"]);
  expect(counts({ ...taken, at: "2026-11-20T09:00:00Z" })).toEqual([]);
  expect(counts({ state: "delivered" }, { state: "delivered", kind: "note" }, taken)).toEqual([
    "✓ 1 delivered",
  ]);
  expect(
    counts({ state: "queued" }, { state: "ignored" }, { state: "overridden" }, { state: "overridden" }),
  ).toEqual(["↯ 2 overridden", "↯ 1 not followed", "↥ 1 pending"]);
});
