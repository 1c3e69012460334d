import { expect, test } from "vitest";
import { AT } from "../testing/samples";
import { usageDetails, usageParts } from "./usage";

const details = (usage: Parameters<typeof usageDetails>[0]) =>
  usageDetails(usage).map(({ name, words }) => `${name}: ${words}`);

test("what an agent tells of its model, context and cost is said in a few words", () => {
  const usage = {
    at: AT,
    model: "claude-opus-4-5-20251101",
    contextTokens: 46_210,
    contextWindow: 200_000,
    inputTokens: 1_204_000,
    cachedTokens: 1_100_000,
    outputTokens: 8_100,
    microDollars: 420_000,
  };
  expect(usageParts(usage)).toEqual(["claude-opus-4-5", "46.2k of 200k", "US$0.42"]);
  expect(details(usage)).toEqual([
    "Model: claude-opus-4-5-20251101",
    "Context: 46,210 of 200,000 tokens (23%)",
    "Read so far: 1,204,000 tokens, 1,100,000 of them from a cache",
    "Written so far: 8,100 tokens",
    "Cost so far: US$0.42",
  ]);
});

test("what is not told is not said", () => {
  expect(usageParts(undefined)).toEqual([]);
  expect(usageParts({ at: AT })).toEqual([]);
  expect(usageParts({ at: AT, inputTokens: 5, outputTokens: 5 })).toEqual([]);
  expect(details({ at: AT, contextTokens: 900 })).toEqual(["Context: 900 tokens"]);
  expect(usageParts({ at: AT, contextTokens: 900, microDollars: 0 })).toEqual(["900 tokens", "US$0.00"]);
});

test("less than a cent is not nothing, and a name is shown harmlessly", () => {
  expect(usageParts({ at: AT, model: "openai/gpt\u202E-5", microDollars: 1_212 })).toEqual([
    "gpt\uFFFD-5",
    "< US$0.01",
  ]);
});
