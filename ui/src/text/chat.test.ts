import { expect, test } from "vitest";
import type { ChatMessage } from "../protocol/types";
import { AT } from "../testing/samples";
import { callState, withoutRepeats } from "./chat";

const WHY = "ollama cannot be reached at http://127.0.0.1:11434/. Is Ollama running?";

type Notice = { message: string; retries?: string };

function notices(...said: Notice[]): ChatMessage[] {
  return said.map(({ message, retries }, at) => {
    const notice: ChatMessage = { seq: at + 1, at: AT, kind: "notice", message };
    if (retries !== undefined) notice.retries = retries;
    return notice;
  });
}

function again(attempt: number, retries = WHY): Notice {
  return { message: `${retries} Trying again in 1 s, ${attempt} of 4.`, retries };
}

const ANEW = { message: "Planning anew" };

function end(message: string, outcome: "failed" | "completed" = "failed"): ChatMessage {
  return { seq: 9, at: AT, kind: "end", outcome, message };
}

const shown = (messages: ChatMessage[]) => withoutRepeats(messages).map(({ seq }) => seq);

test("of tries that fail alike the last is told, and none where the end says it", () => {
  const tries = notices(again(2), again(3), again(4));
  expect(shown(tries)).toEqual([3]);
  expect(shown([...tries, end(`${WHY} (4 tries)`)])).toEqual([9]);
  expect(shown([...tries, end("The provider refuses the key.")])).toEqual([3, 9]);
  expect(shown([...tries, end("", "completed")])).toEqual([3, 9]);
});

test("what fails otherwise, or is no try, stays", () => {
  expect(shown(notices(again(2), again(3, "It answered 500."), again(4, "It answered 500.")))).toEqual([
    1, 3,
  ]);
  const others = notices(ANEW, ANEW);
  expect(withoutRepeats(others), "the very same").toBe(others);
  expect(shown([...notices(ANEW), end(ANEW.message)])).toEqual([1, 9]);
});

test("a call that was never made has not failed", () => {
  const call = { seq: 1, at: AT, kind: "tool", toolCallId: "1", toolName: "t", args: {} } as const;
  expect(callState(call)).toBe("going");
  expect(callState({ ...call, result: "" })).toBe("done");
  expect(callState({ ...call, result: "no such file", isError: true })).toBe("failed");
  expect(callState({ ...call, result: "The run was ended.", isError: true, notMade: true })).toBe("uncalled");
});
