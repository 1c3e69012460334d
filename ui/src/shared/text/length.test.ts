import { expect, test } from "vitest";
import { tooMany } from "./length";

test.each([
  ["abcd", 4, 0],
  ["abcdef", 4, 2],
  ["😀😀😀😀", 4, 0],
  ["😀😀😀😀😀a", 4, 2],
  // A sign of several characters is several, as the gateway counts them.
  ["👩‍💻", 2, 1],
  ["", 0, 0],
])("%s of %i is %i too long", (text, most, over) => expect(tooMany(text, most)).toBe(over));
