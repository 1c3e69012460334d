import { expect, test } from "vitest";
import { toRuns } from "../state/runs";
import { item, session } from "../testing/samples";
import { titleOf } from "./title";

const todos = [
  item("a", "completed"),
  item("b", "in_progress", { activeForm: "Fixing the parser" }),
  item("c"),
];
const order = [
  ...toRuns(
    [session("s", todos)].map((each) => ({
      session: each,
      todos: each.todos,
      edits: [],
      whole: true,
      ways: {},
    })),
    new Map(),
  ).values(),
];

test("the window is called by where one is, and how often one is needed", () => {
  expect(titleOf({ page: "session", sessionId: "s" }, order, 2)).toBe(
    "(2) 1/3 Fixing the parser – Sightline",
  );
  expect(titleOf({ page: "settings" }, order, 0)).toBe("Settings – Sightline");
  expect(titleOf({ page: "now", asked: { q: "" } }, [], 0)).toBe("Sightline");
  expect(titleOf({ page: "session", sessionId: "gone" }, order, 0)).toBe("Sightline");
});
