import { dequal } from "dequal/lite";
import type { Chat, ChatMessage } from "../protocol/types";

/** Takes a message in at its place, or in place of what it was; gives the very same where it changes nothing. */
export function withMessage(messages: ChatMessage[], message: ChatMessage): ChatMessage[] {
  const at = messages.findLastIndex(({ seq }) => seq <= message.seq);
  const before = messages[at];
  if (before?.seq !== message.seq) return messages.toSpliced(at + 1, 0, message);
  // A call that was told late is not under way again.
  const isOlder = isDone(before) && message.kind === "tool" && !isDone(message);
  return isOlder ? messages : messages.with(at, message);
}

function isDone(message: ChatMessage): boolean {
  return message.kind === "tool" && message.result !== undefined;
}

/** The newest messages as they were asked for, behind older ones that are known; nothing is left out in between. */
export function withNewest(known: ChatMessage[], more: boolean, chat: Chat): [ChatMessage[], boolean] {
  const first = chat.messages[0]?.seq;
  // What is the same is the very same object: a view of it has nothing to do.
  const old = new Map(known.map((message) => [message.seq, message]));
  const newest = chat.messages.map((message) => {
    const before = old.get(message.seq);
    return before && dequal(before, message) ? before : message;
  });
  if (!chat.more || first === undefined) return [newest, chat.more];
  if ((known.at(-1)?.seq ?? 0) < first) return [newest, true];
  return [[...known.filter(({ seq }) => seq < first), ...newest], more];
}

/** So much of the beginning of `more` is the end of `text` already. */
export function overlap(text: string, more: string): number {
  for (let length = Math.min(text.length, more.length); length > 0; length -= 1) {
    if (text.endsWith(more.slice(0, length))) return length;
  }
  return 0;
}
