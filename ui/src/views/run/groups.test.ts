import { expect, test } from "vitest";
import { boardAddress, passes, readBoard, WHOLE_BOARD, type BoardAsked } from "../../state/board-asked";
import type { Grouping } from "../../state/look.svelte";
import type { Run } from "../../state/runs";
import { item, session } from "../../testing/samples";
import { orderOf } from "../../testing/runs";
import { boardOf } from "./board";
import { grouped } from "./groups";
import { sizeFor } from "./layout";

const order = orderOf(
  session("a", [item("x", "pending", { content: "Résumé parser" })], {
    project: "zeta",
    tags: ["release", "urgent"],
  }),
  session("b", [], { project: "alpha", state: "idle", agent: { name: "opencode" } }),
  session("c", [], { project: "alpha", tags: ["urgent"] }),
  session("sub", [item("y", "pending", { content: "Deep work" })], { parentSessionId: "c" }),
  session("pinned", [], { project: "alpha", pinned: true }),
);
const board = boardOf(order, "2026-11-20T00:00:00Z");

function names(by: "project" | "tag" | "agent"): [string | undefined, string[]][] {
  return grouped(board, order, by).groups.map(({ name, runs }) => [
    name,
    runs.map(({ id }) => id).toSorted(),
  ]);
}

function found(asked: Partial<BoardAsked>): string[] {
  const top = order.filter(({ parent }) => !parent);
  return top.flatMap((run) => (passes(run, { ...WHOLE_BOARD, ...asked }) ? [run.id] : [])).toSorted();
}

function many(count: number, projects: number): Run[] {
  return orderOf(
    ...Array.from({ length: count }, (_, at) => session(`s${at}`, [], { project: `p${at % projects}` })),
  );
}

function ways(runs: Run[], grouping: Grouping): unknown {
  const { by, groups } = grouped(boardOf(runs, ""), runs, grouping);
  return [by, groups.map(({ name, runs: { length }, isRest }) => `${isRest ? "rest" : name} ${length}`)];
}

test("runs stand in groups by name, those without one last, and in the order of all", () => {
  expect(names("project")).toEqual([
    ["alpha", ["b", "c"]],
    ["zeta", ["a"]],
  ]);
  expect(names("tag")).toEqual([
    ["release", ["a"]],
    ["urgent", ["c"]],
    [undefined, ["b"]],
  ]);
  expect(names("agent")).toEqual([
    ["codex", ["a", "c"]],
    ["opencode", ["b"]],
  ]);
  const [alpha] = grouped(board, order, "project").groups;
  expect(alpha?.runs).toEqual(order.filter((run) => alpha?.runs.includes(run)));
});

test("more than eight are grouped by project, those alone in theirs together, unless another way was chosen", () => {
  expect(ways(many(8, 2), "auto")).toEqual([undefined, []]);
  expect(ways(many(9, 2), "auto")).toEqual(["project", ["p0 5", "p1 4"]]);
  expect(ways(many(9, 7), "auto")).toEqual(["project", ["p0 2", "p1 2", "rest 5"]]);
  expect(ways(many(9, 9), "auto"), "nothing would stand together").toEqual([undefined, []]);
  expect(ways(many(9, 2), "none")).toEqual([undefined, []]);
  expect(ways(many(2, 2), "project")).toEqual(["project", ["p0 1", "p1 1"]]);
});

test("cards are smaller where each group begins a row", () => {
  const room = { width: 940, height: 900 };
  expect(sizeFor(6, room, "comfortable")).toBe("card");
  expect(sizeFor([1, 1, 1, 1, 1, 1], room, "comfortable")).toBe("line");
});

test("the board is filtered by its address", () => {
  const asked: BoardAsked = { q: "fix & go", agent: "codex", project: "a/b", tag: "größe", state: "waiting" };
  expect(readBoard(boardAddress(asked).split("?")[1] ?? "")).toEqual(asked);
  expect(readBoard("state=nonsense&other=1")).toEqual(WHOLE_BOARD);
  expect(boardAddress(WHOLE_BOARD)).toBe("#/");

  expect(found({})).toEqual(["a", "b", "c", "pinned"]);
  expect(found({ tag: "urgent" })).toEqual(["a", "c"]);
  expect(found({ tag: "urgent", project: "alpha" })).toEqual(["c"]);
  expect(found({ agent: "opencode" })).toEqual(["b"]);
  expect(found({ state: "idle" })).toEqual(["b"]);
  expect(found({ q: "RESUME pars" }), "accents and case do not matter, all words do").toEqual(["a"]);
  expect(found({ q: "resume nothing" })).toEqual([]);
  expect(found({ q: "#urgent" })).toEqual(["a", "c"]);
  expect(found({ q: "deep" }), "by what its subagent does").toEqual(["c"]);
});
