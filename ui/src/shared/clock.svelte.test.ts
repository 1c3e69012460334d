import { flushSync } from "svelte";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { everySecond, now } from "./clock.svelte";

const NOON = Date.parse("2026-11-20T12:00:00.300Z");
let ends: () => void;

beforeEach(() => {
  vi.useFakeTimers({ now: NOON });
});

afterEach(() => {
  ends();
  vi.useRealTimers();
});

/** The times at which a reader of a clock is called, in milliseconds from the start. */
function strokes(...clocks: (() => number)[]): number[] {
  const heard: number[] = [];
  ends = effectOf(() => {
    for (const clock of clocks) clock();
    heard.push(Date.now() - NOON);
  });
  return heard;
}

test("both clocks go off on the stroke, so that what they change is painted at once", () => {
  const heard = strokes(everySecond, now);
  advance(20_000);
  expect(heard[0]).toBe(0);
  expect([...new Set(heard.slice(1))]).toEqual([...Array(20).keys()].map((second) => 700 + second * 1_000));
});

test("in a hidden page no clock goes, and it is right again at once when it is shown", () => {
  const heard = strokes(now);
  const hidden = vi.spyOn(document, "hidden", "get").mockReturnValue(true);
  document.dispatchEvent(new Event("visibilitychange"));
  advance(60_000);
  expect(heard).toEqual([0]);
  expect(vi.getTimerCount()).toBe(0);
  hidden.mockReturnValue(false);
  document.dispatchEvent(new Event("visibilitychange"));
  flushSync();
  expect(heard).toEqual([0, 60_000]);
});

function advance(milliseconds: number): void {
  for (let past = 0; past < milliseconds; past += 100) {
    vi.advanceTimersByTime(100);
    flushSync();
  }
}

function effectOf(run: () => void): () => void {
  const end = $effect.root(() => {
    $effect(run);
  });
  flushSync();
  return end;
}
