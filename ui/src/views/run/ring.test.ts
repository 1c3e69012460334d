import { render } from "@testing-library/svelte";
import { expect, test } from "vitest";
import type { Progress } from "../../protocol/types";
import type { Tone } from "../../state/tone";
import Ring from "./Ring.svelte";

/** The coloured part of the ring, of a hundred. */
function painted(tone: Tone, completed: number, total: number): number {
  const progress: Progress = { completed, total, fraction: total === 0 ? 0 : completed / total };
  const { container, unmount } = render(Ring, { progress, tone, size: 20 });
  const arc = container.querySelector(`.${tone} .filled`)?.getAttribute("stroke-dasharray") ?? "0";
  unmount();
  return Number.parseInt(arc, 10);
}

test("a session that works or waits has an arc in its colour before anything is done, one that rests has none", () => {
  for (const tone of ["active", "needs"] as const) {
    for (const total of [0, 8]) {
      expect(painted(tone, 0, total), `${tone}, 0 of ${total}`).toBeGreaterThan(0);
      expect(painted(tone, 0, total), `${tone}, 0 of ${total}`).toBeLessThan(10);
    }
    expect(painted(tone, 1, 4)).toBe(25);
  }
  expect(painted("quiet", 0, 8)).toBe(0);
  expect(painted("quiet", 2, 4)).toBe(50);
  expect(painted("done", 4, 4)).toBe(100);
});
