import { m } from "../paraglide/messages";
import type { ChatMessage, ChatOutcome } from "../protocol/types";
import { brief } from "./plain";

export type Said<K extends ChatMessage["kind"]> = Extract<ChatMessage, { kind: K }>;

/** What a call was made with, in a line: `path: src/main.rs, lines: 20`. */
export function argsWords(args: unknown, length = 90): string {
  return brief(
    fieldsOf(args)
      .map(({ name, text }) => (name === undefined ? text : m.chat_arg({ name, value: brief(text, length) })))
      .join(", "),
    length,
  );
}

type Field = { name: string | undefined; text: string };

/** What a call was made with, field by field; one without a name where it is no object. */
export function fieldsOf(args: unknown): Field[] {
  if (args === null || args === undefined || args === "") return [];
  if (typeof args !== "object" || Array.isArray(args)) return [{ name: undefined, text: valueText(args) }];
  return Object.entries(args).map(([name, value]) => ({ name, text: valueText(value) }));
}

/** A text as it is, with its lines; everything else as JSON. */
function valueText(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value, undefined, 2) ?? "");
}

/** How a call is: under way, made, or not. */
export type CallState = "going" | "done" | "failed";

export function callState({ result, isError }: Said<"tool">): CallState {
  if (isError) return "failed";
  return result === undefined ? "going" : "done";
}

/** How a run ended; nothing where its answer says it all. */
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
