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
  // Equal messages are the very same object: a view of one has nothing to do.
  const old = new Map(known.map((message) => [message.seq, message]));
  const newest = chat.messages.map((message) => {
    const before = old.get(message.seq);
    return before && dequal(before, message) ? before : message;
  });
  if (!chat.more || first === undefined) return [newest, chat.more];
  if ((known.at(-1)?.seq ?? 0) < first) return [newest, true];
  return [[...known.filter(({ seq }) => seq < first), ...newest], more];
}

/** A text that grows, with a piece that begins at `offset`; nothing where something before it is missing. */
export function withPiece(
  text: string,
  { offset, delta }: { offset: number; delta: string },
): string | undefined {
  if (offset > text.length) return undefined;
  return text.length >= offset + delta.length ? text : text.slice(0, offset) + delta;
}
