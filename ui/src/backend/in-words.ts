import { m } from "../paraglide/messages";
import { baseLocale, getLocale } from "../paraglide/runtime";
import type { Code, Commanded, TextRef } from "../protocol/types";

/** Errors that are told by their code where their text is not known: they came from an older gateway, or a newer one. */
const TOLD = [
  "SESSION_NOT_FOUND",
  "ITEM_NOT_FOUND",
  "ITEM_REMOVED",
  "REVISION_NOT_FOUND",
  "READ_ONLY",
  "CANNOT_UNDO",
  "UNAUTHORIZED",
  "FORBIDDEN",
  "PERMISSION_NOT_FOUND",
  "RULE_NOT_FOUND",
  "KEY_NOT_FOUND",
  "STREAM_IN_PROGRESS",
  "NO_PENDING_APPROVAL",
  "NO_PENDING_PREFLIGHT",
  "UNAVAILABLE",
] as const satisfies readonly Code[];

const isTold = (code: Code): code is (typeof TOLD)[number] => (TOLD as readonly Code[]).includes(code);

/** Parameters that are words of ours, with commas between them. */
const WORDS = new Set(["status", "fields", "rights"]);

type Say = (inputs: Record<string, string>) => string;

function textOf(name: string): Say | undefined {
  return (m as unknown as Record<string, Say | undefined>)[`gateway_${name}`];
}

function worded(name: string, value: string): string {
  if (!WORDS.has(name)) return value;
  const words = value.split(",").map((word) => textOf(`${name}_${word}`)?.({}) ?? word);
  return new Intl.ListFormat(getLocale(), { type: "unit", style: "short" }).format(words);
}

/** A text of the gateway in the language of the page. The gateway's own words are English, and may say more. */
export function inWords(english: string, text: TextRef | undefined): string {
  const say = getLocale() === baseLocale || !text ? undefined : textOf(text.name);
  if (!say) return english;
  const params = Object.entries(text?.params ?? {});
  return say(Object.fromEntries(params.map(([name, value]) => [name, worded(name, value)])));
}

/** An error in the language of the page. */
export function errorInWords(code: Code, message: string, text: TextRef | undefined): string {
  const words = inWords(message, text);
  return words === message && getLocale() !== baseLocale && isTold(code) ? m.common_failure({ code }) : words;
}

/** The outcome of a typed command in the language of the page: that of an edit; what was asked for is as it came. */
export function outcomeInWords({ output, edited }: Commanded): string {
  return edited?.text && !edited.remarks ? inWords(output, edited.text) : output;
}
