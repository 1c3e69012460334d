import { expect, test } from "vitest";
import { beginsWith, examplesOf, joinWords, splitWords } from "./permissions";

test.each([
  ["cargo test", ["cargo", "test"]],
  ["  cargo   test ", ["cargo", "test"]],
  ["cargo test 'a name'", ["cargo", "test", "a name"]],
  ['a"b c"d', ["ab cd"]],
  ["cargo test; rm x", undefined],
  ["cargo test | sh", undefined],
  ["cargo test $X", undefined],
  ["cargo test 'x", undefined],
  ["cargo\u200B test", undefined],
  ["", undefined],
])("%o are the words %o", (text, words) => {
  expect(splitWords(text)).toEqual(words);
});

test("words are joined so that they are the same again", () => {
  for (const words of [["a b", "c"], ["it's"], ["x", ""]])
    expect(splitWords(joinWords(words))).toEqual(words);
});

test("a command begins with words, not with letters", () => {
  expect(beginsWith("cargo test -p hub", ["cargo", "test"])).toBe(true);
  expect(beginsWith("cargo testing", ["cargo", "test"])).toBe(false);
  expect(beginsWith("cargo test && rm x", ["cargo", "test"])).toBe(false);
});

test("each example is covered, or is not, as it says", () => {
  const words = ["cargo", "test"];
  const { covers, coversNot } = examplesOf(words);
  expect(covers.every((command) => beginsWith(command, words))).toBe(true);
  expect(coversNot.some((command) => beginsWith(command, words))).toBe(false);
});
