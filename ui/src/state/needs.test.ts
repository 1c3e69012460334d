import { expect, test } from "vitest";
import type { SessionTodos } from "../protocol/types";
import { bareRun, orderOf, ownList } from "../testing/runs";
import { edit, item, need, session } from "../testing/samples";
import { editOf, needsOf, stepOf, wantingSince } from "./needs";
import type { Run } from "./runs";

const at = (minute: number): string => `2026-11-20T14:${String(minute).padStart(2, "0")}:00Z`;
const kinds = (order: Run[]): string[] => needsOf(order).map(({ need: { kind } }) => kind);

test("what needs the user comes from all sessions, longest first", () => {
  const order = orderOf(
    session("a", [], { needs: [need("drift", { since: at(9) }), need("waiting", { since: at(3) })] }),
    session("b", [], { needs: [need("blocked", { since: at(1) })] }),
    session("c", []),
  );
  expect(kinds(order)).toEqual(["blocked", "waiting", "drift"]);
  expect(needsOf(order).map(({ run }) => run.id)).toEqual(["b", "a", "a"]);
});

test("a run needs what its session needs and what is in its agent's own list", () => {
  const order = orderOf(
    bareRun("s", { needs: [need("waiting", { since: at(5) })] }),
    ownList("s", { needs: [need("blocked", { since: at(4), uid: "x" })] }),
  );
  const [blocked, waiting] = needsOf(order);
  expect([blocked?.run.id, blocked?.of.session.sessionId]).toEqual(["s", "s-own"]);
  expect(waiting?.of.session.sessionId).toBe("s");
  expect(blocked && stepOf(blocked)?.uid).toBe("x");
});

function off(id: string, agent: string, minute: number): SessionTodos {
  return session(id, [], { agent: { name: agent }, needs: [need("toolOff", { since: at(minute) })] });
}

test("lists that are off are one entry for each agent, since the first of them", () => {
  const entries = needsOf(orderOf(off("a", "claude", 4), off("b", "codex", 3), off("c", "claude", 2)));
  expect(entries.map(({ key, runs }) => [key, runs.map(({ id }) => id).toSorted()])).toEqual([
    ["toolOff claude", ["a", "c"]],
    ["toolOff codex", ["b"]],
  ]);
  expect(entries[0]?.run.id).toBe("c");
});

test("nothing is told of what is muted or dismissed, nor of its subagents", () => {
  const waits = { needs: [need("waiting")] };
  const order = orderOf(
    session("muted", [], { ...waits, muted: true }),
    session("sub", [], { ...waits, parentSessionId: "muted" }),
    session("gone", [], { ...waits, dismissed: true }),
    session("heard", [], waits),
  );
  expect(needsOf(order).map(({ run }) => run.id)).toEqual(["heard"]);
});

test("a need finds its step, also under another, and its edit", () => {
  const todos = [item("a", "pending", { subtasks: [item("a1", "blocked")] })];
  const against = edit("a1", { editId: "e", state: "ignored" });
  const needs = [need("blocked", { uid: "a1" }), need("ignored", { id: "i", editId: "e" }), need("drift")];
  const entries = needsOf(orderOf(session("s", todos, { edits: [against], needs })));
  expect(entries.map((entry) => stepOf(entry)?.uid)).toContain("a1");
  expect(entries.map((entry) => editOf(entry)?.editId)).toContain("e");
  expect(entries.filter((entry) => !stepOf(entry) && !editOf(entry))).toHaveLength(1);
});

function since(more: Partial<SessionTodos>): string | undefined {
  const [run] = orderOf(session("s", [], more));
  return run && wantingSince(run);
}

test("a run wants attention since the oldest need, but not for a list that is off, nor when it is muted", () => {
  const needs = [need("blocked", { since: at(7) }), need("drift", { since: at(6) })];
  expect(since({ needs })).toBe(at(6));
  expect(since({ needs: [need("toolOff")] })).toBeUndefined();
  expect(since({ state: "waiting", stateAt: at(1), needs })).toBe(at(1));
  expect(since({ needs, muted: true })).toBeUndefined();
});
