import { m } from "../paraglide/messages";
import type { ChatMessage, ChatOutcome } from "../protocol/types";
import { money, number } from "../shared/text/numbers";
import { brief } from "../shared/text/plain";
import { jsonFields, type JsonField } from "./json";

/** A message of a conversation, of one kind. */
export type MessageOf<K extends ChatMessage["kind"]> = Extract<ChatMessage, { kind: K }>;

/** The arguments of a call in a line: `path: src/main.rs, lines: 20`. */
export function argsWords(args: unknown, length = 90): string {
  return brief(
    fieldsOf(args)
      .map(({ name, text }) => (name === undefined ? text : m.chat_arg({ name, value: brief(text, length) })))
      .join(", "),
    length,
  );
}

/** The arguments of a call, field by field; one without a name where they are no object. */
export function fieldsOf(args: unknown): JsonField[] {
  return args === undefined || args === "" ? [] : jsonFields(JSON.stringify(args));
}

/** The state of a call: under way, made, failed, or over before it was made. */
export type CallState = "going" | "done" | "failed" | "uncalled";

export function callState({ result, isError, notMade }: MessageOf<"tool">): CallState {
  if (notMade) return "uncalled";
  if (isError) return "failed";
  return result === undefined ? "going" : "done";
}

/** The end of a run in words; nothing where its answer says it all. */
export function endWords(outcome: ChatOutcome): string | undefined {
  switch (outcome) {
    case "completed":
      return undefined;
    case "waiting":
      return m.chat_end_waiting();
    case "aborted":
      return m.chat_end_aborted();
    case "failed":
      return m.chat_end_failed();
    case "interrupted":
      return m.chat_end_interrupted();
  }
}

/** Messages without the notices that the next one says again: of tries that failed alike the last one is enough. */
export function withoutRepeats(messages: ChatMessage[]): ChatMessage[] {
  const shown = messages.filter((message, at) => !isRepeated(message, messages[at + 1]));
  return shown.length < messages.length ? shown : messages;
}

function isRepeated(message: ChatMessage, next: ChatMessage | undefined): boolean {
  const why = whyAgain(message);
  if (why === undefined || next === undefined) return false;
  return next.kind === "end"
    ? next.outcome === "failed" && next.message.startsWith(why)
    : whyAgain(next) === why;
}

function whyAgain(message: ChatMessage): string | undefined {
  return message.kind === "notice" ? message.retries : undefined;
}

const CENT = 0.01;

/** The tokens and costs of a run, each where it is known: `12,340 tokens read, 810 written`, `$0.04`. */
export function tookWords({ usage, cost }: Pick<MessageOf<"end">, "usage" | "cost">): string[] {
  const words: string[] = [];
  if (usage) words.push(m.chat_tokens({ count: usage.inputTokens, written: number(usage.outputTokens) }));
  const total = cost?.totalCost ?? 0;
  if (total >= CENT) words.push(money(total));
  else if (total > 0) words.push(m.chat_cost_less({ amount: money(CENT) }));
  return words;
}
