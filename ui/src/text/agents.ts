import type { AgentSetup, Registered } from "../protocol/types";
import type { Asked, Stage } from "../state/connecting.svelte";

/** How an agent's connection is, in plain words; `more` is what of it is otherwise. */
export type ConnectionWords = {
  tone: "done" | "needs" | "fail" | "quiet";
  words: string;
  more?: string | undefined;
};

const NEVER_CALLED =
  "Its first list comes with work of three steps or more. A session that was open before has to be started anew.";

/** Whether our server is there for the agent; and where it is, whether the agent has ever used it. */
export function connectionWords(setup: AgentSetup): ConnectionWords {
  const more = setup.serverProblem;
  switch (setup.server) {
    case "absent":
      return { tone: "quiet", words: "Not connected", more };
    case "ours":
      return setup.lastList === undefined
        ? {
            tone: "needs",
            words: "Connected, but never called",
            more: more ?? (setup.hooksProblem === undefined ? NEVER_CALLED : undefined),
          }
        : { tone: "done", words: "Connected", more };
    case "outdated":
      return { tone: "needs", words: "Connected as it was once", more };
    case "disabled":
      return { tone: "needs", words: "Connected, but switched off there", more };
    case "other":
      return { tone: "needs", words: "Something else has our name", more };
    case "unreadable":
      return { tone: "fail", words: "Its configuration cannot be read", more };
  }
}

/** How many of those that are here are connected: `2 of 3 connected`. */
export function connectedWords(agents: AgentSetup[]): string {
  const here = agents.filter(({ program }) => program !== undefined);
  if (here.length === 0) return "none found";
  return `${here.filter(({ server }) => server === "ours").length} of ${here.length} connected`;
}

const HOOKS: Record<Registered, string> = {
  absent: "no hooks",
  ours: "hooks",
  outdated: "hooks as they were once",
  disabled: "hooks switched off",
  other: "hooks that are not ours",
  unreadable: "hooks that cannot be read",
};

/** How our hooks are there; nothing to say of an agent that has none, or of one that is not connected. */
export function hooksWords({ hooks, hooksProblem, server }: AgentSetup): ConnectionWords | undefined {
  if (hooks === undefined || (hooks === "absent" && server === "absent")) return undefined;
  const tone = hooks === "ours" || hooks === "absent" ? "quiet" : hooks === "unreadable" ? "fail" : "needs";
  return { tone, words: HOOKS[hooks], more: hooksProblem };
}

export function ownListWords({ ownList }: AgentSetup): string | undefined {
  switch (ownList) {
    case "on":
      return "its own list is on";
    case "off":
      return "its own list is off";
    case "unknown":
      return "its own list is as the agent decides";
    case "none":
      return undefined;
  }
}

/** What a change is called: before it is made, while it is, and after. */
export type ChangeWords = { todo: string; doing: string; done: string };

export function changeWords(setup: AgentSetup, asked: Asked): ChangeWords {
  const { title, instructions } = setup;
  const where = asked.folder === undefined ? "" : " in one project";
  switch (asked.change) {
    case "connect": {
      const how = asked.replace
        ? ", in the place of what has our name"
        : asked.noHooks
          ? ", without hooks"
          : "";
      return {
        todo: `Connect ${title}${where}${how}`,
        doing: "Connecting…",
        done: `${title} is connected${where}`,
      };
    }
    case "disconnect":
      return {
        todo: `Disconnect ${title}${where}`,
        doing: "Disconnecting…",
        done: `${title} is disconnected${where}`,
      };
    case "ownListOn":
      return {
        todo: `Turn ${title}’s own list on`,
        doing: "Turning it on…",
        done: `${title}’s own list is on`,
      };
    case "ownListOff":
      return {
        todo: `Turn ${title}’s own list off`,
        doing: "Turning it off…",
        done: `${title}’s own list is off`,
      };
    case "instruct":
      return {
        todo: `Add the line to ${instructions}`,
        doing: "Adding it…",
        done: `${instructions} has the line`,
      };
    case "uninstruct":
      return {
        todo: `Take the line out of ${instructions}`,
        doing: "Taking it out…",
        done: `The line is out of ${instructions}`,
      };
  }
}

/** Why a folder cannot be meant; the gateway does not run where the user types. */
export function folderProblem(folder: string): string | undefined {
  if (folder.trim() === "") return "Which folder?";
  if (folder.startsWith("~")) return "Write the home folder out: /home/you/project.";
  const isAbsolute = /^(\/|[A-Za-z]:[\\/]|\\\\)/.test(folder);
  return isAbsolute ? undefined : "A whole path, from the root on: /home/you/project.";
}

/** A sentence for each note; they come without a full stop. */
export function sentence(note: string): string {
  const text = note.trim();
  // A path or a name stays as it is written.
  const first = /^[a-z]+( |$)/.test(text) ? text.slice(0, 1).toUpperCase() + text.slice(1) : text;
  return /[.!?…]$/.test(first) ? first : `${first}.`;
}

/** What a panel is called for somebody who does not see it. */
export function stageLabel(setup: AgentSetup, stage: Stage | undefined): string {
  if (!stage) return `Test of ${setup.title}`;
  return stage.is === "real" ? `Real call through ${setup.title}` : changeWords(setup, stage.asked).todo;
}
