import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { motion } from "./motion";

const calm = (): string => document.documentElement.style.getPropertyValue("--calm");

/** So many are painted, one each sixtieth of a second. */
function paint(times: number, every = 1_000 / 60): void {
  for (let at = 0; at < times; at += 1) {
    motion.note();
    vi.advanceTimersByTime(every);
  }
}

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.advanceTimersByTime(2_000);
  vi.useRealTimers();
});

test("changes are seen to happen, also where a few come together", () => {
  paint(5);
  expect(motion.isSeen).toBe(true);
  vi.advanceTimersByTime(400);
  paint(20, 100);
  expect(motion.isSeen).toBe(true);
  expect(calm()).toBe("");
});

test("in a burst they are not, and again when it is over", () => {
  paint(60);
  expect(motion.isSeen).toBe(false);
  expect(calm()).toBe("0s");
  paint(60);
  expect(calm(), "as long as it lasts").toBe("0s");
  vi.advanceTimersByTime(800);
  expect(motion.isSeen).toBe(true);
  expect(calm()).toBe("");
});

test("nor in a hidden window, nor for those who want stillness", () => {
  vi.spyOn(document, "hidden", "get").mockReturnValue(true);
  expect(motion.isSeen).toBe(false);
  vi.restoreAllMocks();
  vi.stubGlobal("matchMedia", () => ({ matches: true }));
  expect(motion.isSeen).toBe(false);
});
