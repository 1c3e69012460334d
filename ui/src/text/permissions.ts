import { m } from "../paraglide/messages";
import type { MessagePart } from "../paraglide/runtime";
import type { Permission, RuleCalls, RuleNew } from "../protocol/types";
import { exact } from "../shared/text/plain";

/** Letters of a command in which no shell sees anything but words; the gateway goes by the same. */
const PLAIN = /^[\p{L}\p{N} \t_\-./:=,@+'"]*$/u;
const WORD = /(?:[^\s'"]+|'[^']*'|"[^"]*")+/gu;

/** The words of one plain command, as a shell would split them; nothing where it is not one. */
export function splitWords(text: string): string[] | undefined {
  const found = text.match(WORD) ?? [];
  const isWhole = text.replaceAll(WORD, "").trim() === "";
  if (!PLAIN.test(text) || !isWhole || found.length === 0) return undefined;
  return found.map((word) => word.replaceAll(/'([^']*)'|"([^"]*)"/gu, "$1$2"));
}

export function joinWords(words: string[]): string {
  return words.map((word) => (/^[^\s'"]+$/u.test(word) ? word : quoted(word))).join(" ");
}

function quoted(word: string): string {
  return word.includes("'") ? `"${word}"` : `'${word}'`;
}

/** True if a command begins with these words. */
export function beginsWith(command: string, words: string[]): boolean {
  const said = splitWords(command);
  return said !== undefined && words.every((word, at) => said[at] === word);
}

const MORE = "--verbose";
const OTHERS = ["&& rm file", "> file"];

/** Commands that a rule for these first words covers, and others that it does not. */
export function examplesOf(words: string[]): { covers: string[]; coversNot: string[] } {
  const start = joinWords(words);
  const less = words.length > 1 ? [joinWords(words.slice(0, -1))] : [];
  return {
    covers: [start, [start, MORE].join(" ")],
    coversNot: [...less, ...OTHERS.map((more) => [start, more].join(" "))],
  };
}

/** Calls of a rule in a sentence, with the tool and the calls marked. */
export function callsParts({ tool, calls }: Pick<RuleNew, "tool" | "calls">): MessagePart[] {
  const name = exact(tool);
  switch (calls.kind) {
    case "tool":
      return m.permission_calls_tool.parts({ tool: name });
    case "command":
      return m.permission_calls_command.parts({ tool: name, calls: exact(joinWords(calls.words)) });
    case "input":
      return isShort(calls.input)
        ? m.permission_calls_text.parts({ tool: name, calls: exact(calls.input) })
        : m.permission_calls_input.parts({ tool: name });
  }
}

const SHORT = 80;

function isShort(text: string): boolean {
  return text.length <= SHORT && !text.includes("\n");
}

/** The calls of a rule as they are: the first words of a command, the arguments, or nothing for all of them. */
function callsText(calls: RuleCalls): string | undefined {
  if (calls.kind === "command") return `${joinWords(calls.words)} …`;
  return calls.kind === "input" ? calls.input : undefined;
}

/** A rule in a few words, for a label. */
export function ruleLabel({ tool, calls }: Pick<RuleNew, "tool" | "calls">): string {
  const text = callsText(calls);
  const shown = text === undefined ? "" : `: ${text.slice(0, SHORT)}`;
  return exact(`${tool}${shown}`);
}

/** The state of a permission that is over, or waits. */
export function stateWords({ state, ruleId }: Permission): string {
  if (ruleId === undefined || (state !== "allowed" && state !== "denied"))
    return m.permission_state({ state });
  return m.permission_state({ state: state === "allowed" ? "allowedByRule" : "deniedByRule" });
}
