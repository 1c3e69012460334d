import { m } from "../paraglide/messages";
import { baseLocale, getLocale } from "../paraglide/runtime";
import type { Code, Commanded, Completions, TextPart, TextRef } from "../protocol/types";

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
const WORDS = new Set(["status", "fields", "rights", "settings"]);

type Say = (inputs: Record<string, string>) => string;

function textOf(name: string): Say | undefined {
  return (m as unknown as Record<string, Say | undefined>)[`gateway_${name}`];
}

function worded(name: string, value: string): string {
  if (!WORDS.has(name)) return value;
  const words = value.split(",").map((word) => textOf(`${name}_${word}`)?.({}) ?? word);
  return new Intl.ListFormat(getLocale(), { type: "unit", style: "short" }).format(words);
}

/** So deep texts may stand within each other: those of a stranger's could grow without end. */
const WITHIN = 4;

/** A text of the gateway in the language of the page. The gateway's own words are English, and may say more. */
export function inWords(english: string, text: TextRef | undefined, within = WITHIN): string {
  return getLocale() === baseLocale ? english : byName(english, text, within);
}

/** A text of the gateway as the page says it, also in English, for what the gateway says as programs do. */
export function byName(english: string, text: TextRef | undefined, within = WITHIN): string {
  const say = text && textOf(text.name);
  if (!say) return english;
  const param = ([name, value]: [string, string]): [string, string] => {
    const inner = within > 0 ? text?.texts?.[name] : undefined;
    return [name, inner ? inWords(value, inner, within - 1) : worded(name, value)];
  };
  return say(Object.fromEntries(Object.entries(text?.params ?? {}).map(param)));
}

/** Several of them, each with its text where all have one. */
export function allInWords(english: string[], texts: TextRef[] | undefined): string[] {
  return english.map((words, at) => inWords(words, texts?.[at]));
}

/** An error in the language of the page. */
export function errorInWords(code: Code, message: string, text: TextRef | undefined): string {
  const words = inWords(message, text);
  return words === message && getLocale() !== baseLocale && isTold(code) ? m.common_failure({ code }) : words;
}

const isKnown = (part: TextPart): boolean => typeof part === "string" || textOf(part.name) !== undefined;

/** The answer to a typed command in the language of the page. */
export function outcomeInWords({ output, parts, edited }: Commanded): string {
  if (getLocale() === baseLocale) return output;
  if (edited?.text) {
    const left = allInWords(edited.remarks ?? [], edited.remarkTexts);
    return [inWords(edited.message, edited.text), ...left.map((what) => m.gateway_left({ what }))].join("\n");
  }
  // Where a text of it is not known here, all of it stays as it came.
  if (!parts?.every(isKnown)) return output;
  return parts.map((part) => (typeof part === "string" ? part : inWords("", part))).join("");
}

/** Completions of a command in the language of the page. */
export function completionsInWords({ usage, choices }: Completions): Completions {
  const told = choices.map((choice) =>
    choice.detail === undefined ? choice : { ...choice, detail: inWords(choice.detail, choice.detailText) },
  );
  return usage === undefined ? { choices: told } : { usage, choices: told };
}
