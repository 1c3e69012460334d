import type { SessionTodos } from "../protocol/types";
import { toRuns, type Run } from "../state/runs";
import { item, session } from "./samples";

/** An agent's own list of a run. */
export function ownList(run: string, more: Partial<SessionTodos> = {}): SessionTodos {
  const todos = [
    item("x", "completed"),
    item("y", "in_progress", { activeForm: "Doing y" }),
    item("z"),
    item("w"),
  ];
  return session(`${run}-own`, todos, {
    parentSessionId: run,
    ownTool: "update_plan",
    title: `Title of ${run}`,
    ...more,
  });
}

/** A run of which nothing is known but that it is there: its own list, where there is one, stands for it. */
export function bareRun(id: string, more: Partial<SessionTodos> = {}): SessionTodos {
  return session(id, [], { revision: 0, listState: "unknown", listSessionId: `${id}-own`, ...more });
}

/** The runs of sessions that the gateway told, in their order. */
export function orderOf(...told: SessionTodos[]): Run[] {
  const known = told.map((each) => ({
    session: each,
    todos: each.todos,
    edits: each.edits,
    whole: true,
    ways: {},
  }));
  return [...toRuns(known, new Map()).values()];
}
