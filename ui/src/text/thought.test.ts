import { describe, expect, test } from "vitest";
import { thoughtIn, thoughts } from "./thought";

describe("what a model thinks aloud", () => {
  test.each([
    ["<think>Hm.</think>Yes.", "Hm.", "Yes."],
    ["\n<Thinking>\nHm.\n</thinking >\n\nYes.", "Hm.", "Yes."],
    ["<think>\n\n</think>\n\nYes.", "", "Yes."],
    ["<think>a </thinking> b</think>Yes.", "a </thinking> b", "Yes."],
    ["<think>It was stopped", "It was stopped", ""],
    ["Yes. <think>Hm.</think>", "", "Yes. <think>Hm.</think>"],
    ["`<think>` is a tag", "", "`<think>` is a tag"],
    ["<thinker>", "", "<thinker>"],
    ["<thi", "", "<thi"],
    ["", "", ""],
  ])("%j", (text, thought, answer) => expect(thoughtIn(text)).toEqual({ thought, answer }));

  test("is never seen with its tags while it comes, in however small pieces", () => {
    const text = "<thinking>I look at a < b first.</thinking>\n\nIt is <b>.";
    const seen = Array.from(text, (_, at) => thoughtIn(text.slice(0, at + 1), true));
    for (const { thought, answer } of seen) {
      expect("I look at a < b first.".startsWith(thought)).toBe(true);
      expect("It is <b>.".startsWith(answer)).toBe(true);
    }
    expect(seen.at(-1)).toEqual({ thought: "I look at a < b first.", answer: "It is <b>." });
  });

  test("is told behind what it thought without words of its answer", () => {
    expect(thoughts("a", "b")).toBe("a\n\nb");
    expect(thoughts(undefined, "b")).toBe("b");
    expect(thoughts("", "")).toBe("");
  });
});
