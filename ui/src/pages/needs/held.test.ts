import { expect, test } from "vitest";
import type { NeedKind } from "../../protocol/types";
import { needsOf, type NeedEntry } from "../../state/needs";
import { orderOf } from "../../testing/runs";
import { need, session } from "../../testing/samples";
import { hold } from "./held";

const at = (minute: number): string => `2026-11-20T14:0${minute}:00Z`;
const of = (...all: [id: string, kind: NeedKind, minute: number][]): NeedEntry[] =>
  needsOf(
    orderOf(
      ...all.map(([id, kind, minute]) => session(id, [], { needs: [need(kind, { since: at(minute) })] })),
    ),
  );
const shown = (rows: ReturnType<typeof hold>): string[] =>
  rows.map(({ entry, isSettled }) => `${entry.run.id}${isSettled ? " settled" : ""}`);

test("with nobody at them rows are as the entries are", () => {
  const before = hold([], of(["a", "waiting", 1], ["b", "drift", 2]), false);
  expect(shown(hold(before, of(["b", "drift", 2]), false))).toEqual(["b"]);
});

test("with somebody at them none moves: what is settled stays, what is new comes last in its group", () => {
  const before = hold([], of(["a", "waiting", 3], ["b", "blocked", 4], ["c", "drift", 1]), false);
  const held = hold(before, of(["b", "blocked", 4], ["c", "drift", 1], ["d", "waiting", 2]), true);
  expect(shown(held)).toEqual(["a settled", "b", "d", "c"]);
  const back = hold(held, of(["a", "waiting", 3], ["b", "blocked", 4], ["d", "waiting", 2]), true);
  expect(shown(back), "an entry that comes back is where it was").toEqual(["a", "b", "d", "c settled"]);
  expect(shown(hold(back, of(["a", "waiting", 3], ["d", "waiting", 2]), false))).toEqual(["d", "a"]);
});
