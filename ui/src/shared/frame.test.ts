import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { oncePerFrame } from "./frame";

let frames: (() => void)[];

beforeEach(() => {
  frames = [];
  vi.useFakeTimers();
  vi.stubGlobal("requestAnimationFrame", (run: () => void) => frames.push(run));
  vi.stubGlobal("cancelAnimationFrame", (id: number) => frames.splice(id - 1, 1));
});

afterEach(() => {
  vi.useRealTimers();
});

test("however often it is asked for, a frame paints once", () => {
  const paint = vi.fn<() => void>();
  const ask = oncePerFrame(paint);
  for (let at = 0; at < 500; at += 1) ask();
  expect(frames).toHaveLength(1);
  frames.shift()?.();
  vi.advanceTimersByTime(1_000);
  expect(paint).toHaveBeenCalledTimes(1);
  ask();
  expect(frames, "and the next one is asked for again").toHaveLength(1);
});

test("what is hidden before its frame comes is painted all the same", () => {
  const paint = vi.fn<() => void>();
  const ask = oncePerFrame(paint);
  ask();
  vi.advanceTimersByTime(250);
  expect(paint).toHaveBeenCalledTimes(1);
  expect(frames, "and not once more when it is shown").toHaveLength(0);
});
