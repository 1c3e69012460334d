import { m } from "../paraglide/messages";
import { inWords } from "../backend/in-words";
import type { AgentSetup, TextRef } from "../protocol/types";
import type { Asked, Stage } from "../state/connecting.svelte";
import { number } from "../shared/text/numbers";
import { duration } from "../shared/text/time";

/** The connection of an agent in plain words; `more` is anything unusual about it. */
export type ConnectionWords = {
  tone: "done" | "needs" | "fail" | "quiet";
  words: string;
  more?: string | undefined;
};

/** The state of our server for the agent; where it is set up, the time of its last use. */
export function connectionWords(setup: AgentSetup): ConnectionWords {
  const more = problemWords(setup.serverProblem, setup.serverProblemText);
  switch (setup.server) {
    case "absent":
      return { tone: "quiet", words: m.agents_absent(), more };
    case "ours":
      return setup.lastList === undefined
        ? {
            tone: "quiet",
            words: m.agents_never_called(),
            more: more ?? (setup.hooksProblem === undefined ? m.agents_never_called_more() : undefined),
          }
        : { tone: "done", words: m.agents_connected(), more };
    case "outdated":
      return { tone: "needs", words: m.agents_outdated(), more };
    case "disabled":
      return { tone: "needs", words: m.agents_disabled(), more };
    case "other":
      return { tone: "needs", words: m.agents_other(), more };
    case "unreadable":
      return { tone: "fail", words: m.agents_unreadable(), more };
  }
}

function problemWords(problem: string | undefined, text: TextRef | undefined): string | undefined {
  return problem === undefined ? undefined : inWords(problem, text);
}

/** The time for which an agent waits for answers that are given here. */
export function answersWords(seconds: number, asks: AgentSetup["asks"]): string {
  return asks === "everyCall"
    ? m.agents_answers_rules()
    : m.agents_answers_wait({ time: duration(seconds * 1_000) });
}

/** The share of the agents found that are connected: `2 of 3 connected`. */
export function connectedWords(agents: AgentSetup[]): string {
  const here = agents.filter(({ program }) => program !== undefined);
  if (here.length === 0) return m.agents_none_found();
  const connected = here.filter(({ server }) => server === "ours").length;
  return m.agents_count_connected({ connected: number(connected), found: number(here.length) });
}

/** The state of our hooks; nothing for an agent that has none, or one that is not connected. */
export function hooksWords(setup: AgentSetup): ConnectionWords | undefined {
  const { hooks, hooksProblem, hooksProblemText, server } = setup;
  if (hooks === undefined || (hooks === "absent" && server === "absent")) return undefined;
  const tone = hooks === "ours" || hooks === "absent" ? "quiet" : hooks === "unreadable" ? "fail" : "needs";
  return {
    tone,
    words: m.agents_hooks({ state: hooks }),
    more: problemWords(hooksProblem, hooksProblemText),
  };
}

export function ownListWords({ ownList }: AgentSetup): string | undefined {
  return ownList === "none" ? undefined : m.agents_own_list({ state: ownList });
}

/** Facts of an agent's program that our tests have not seen, where it is here or was never tried. */
export function proofWords({ proof, proven, program }: AgentSetup): string | undefined {
  if (proof === "untried") return m.agents_untried();
  return proof === "newer" && program !== undefined ? m.agents_newer({ version: proven ?? "" }) : undefined;
}

/** Our server as most agents' configuration has it: started by the agent, and at an address. */
export function configuration(
  [command = "sightline", ...args]: readonly string[],
  address: string | undefined,
): { stdio: string; http: string | undefined } {
  const http = address && { url: `${address}/mcp`, headers: { Authorization: "Bearer KEY" } };
  return {
    stdio: entryText({ command, args }),
    http: http ? entryText({ type: "http", ...http }) : undefined,
  };
}

function entryText(sightline: object): string {
  return JSON.stringify({ mcpServers: { sightline } }, undefined, 2);
}

/** The names of a change: before it is made, while it is, and after. */
export type ChangeWords = { todo: string; doing: string; done: string };

export function changeWords(setup: AgentSetup, asked: Asked): ChangeWords {
  const { title, instructions } = setup;
  const where = asked.folder === undefined ? "all" : "project";
  switch (asked.change) {
    case "connect": {
      const how = asked.replace ? "replacing" : asked.noHooks ? "hookless" : "plainly";
      return {
        todo: m.agents_to_connect({ title, where, how }),
        doing: m.agents_connecting(),
        done: m.agents_is_connected({ title, where }),
      };
    }
    case "disconnect":
      return {
        todo: m.agents_to_disconnect({ title, where }),
        doing: m.agents_disconnecting(),
        done: m.agents_is_disconnected({ title, where }),
      };
    case "ownListOn":
      return {
        todo: m.agents_to_turn_on({ title }),
        doing: m.agents_turning_on(),
        done: m.agents_is_on({ title }),
      };
    case "ownListOff":
      return {
        todo: m.agents_to_turn_off({ title }),
        doing: m.agents_turning_off(),
        done: m.agents_is_off({ title }),
      };
    case "instruct":
      return {
        todo: m.agents_to_instruct({ file: instructions }),
        doing: m.agents_instructing(),
        done: m.agents_is_instructed({ file: instructions }),
      };
    case "uninstruct":
      return {
        todo: m.agents_to_uninstruct({ file: instructions }),
        doing: m.agents_uninstructing(),
        done: m.agents_is_uninstructed({ file: instructions }),
      };
  }
}

/** Why a folder cannot be meant; the gateway does not run where the user types. */
export function folderProblem(folder: string): string | undefined {
  if (folder.trim() === "") return m.agents_which_folder();
  if (folder.startsWith("~")) return m.agents_home_folder();
  const isAbsolute = /^(\/|[A-Za-z]:[\\/]|\\\\)/.test(folder);
  return isAbsolute ? undefined : m.agents_whole_path();
}

/** A sentence for each note; they come without a full stop. */
export function sentence(note: string): string {
  const text = note.trim();
  // A path or a name stays as it is written.
  return ended(/^[a-z]+( |$)/.test(text) ? text.slice(0, 1).toUpperCase() + text.slice(1) : text);
}

/** The same after the name of what it is about: a note that begins with that goes on from there. */
export function sentenceAfter(name: string, note: string): string {
  const text = note.trim();
  return text.startsWith(`${name} `) ? ended(text.slice(name.length + 1)) : sentence(text);
}

function ended(text: string): string {
  return /[.!?…。！？]$/.test(text) ? text : m.agents_sentence({ text });
}

/** The name of a panel for somebody who does not see it. */
export function stageLabel(setup: AgentSetup, stage: Stage | undefined): string {
  if (!stage) return m.agents_test_of({ title: setup.title });
  return stage.is === "real"
    ? m.agents_real_call_of({ title: setup.title })
    : changeWords(setup, stage.asked).todo;
}
