import { expect, test } from "vitest";
import { ascending } from "./order";

test("times are in their order, whatever zeros are left out at their end", () => {
  const times = ["09.999Z", "10Z", "10.05Z", "10.1Z", "10.12Z", "10.125Z", "10.2Z"].map(
    (second) => `2026-11-22T17:43:${second}`,
  );
  expect(times.toReversed().toSorted(ascending)).toEqual(times);
  expect(ascending("2026-11-22T17:43:10Z", "2026-11-22T17:43:10Z")).toBe(0);
});
