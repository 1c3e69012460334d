import type { Completions, Item, PreviewedStep } from "../protocol/types";

const NAMES = ["show", "add", "undo"];

/** The completions of a line, as far as the tests type any. */
export function completionsOf(todos: Item[], line: string): Completions {
  const [, name = "", , typed] = /^\/?(?:todo )?(\w*)( ?)(.*)$/.exec(line) ?? [];
  if (name === "add" && line.includes("add ")) {
    const places = todos.map((todo, at) => ({
      line: `/todo add ${at + 1} `,
      label: String(at + 1),
      detail: `before “${todo.content}”`,
    }));
    const choices = places.filter(({ label, detail }) => label === typed || detail.includes(typed ?? ""));
    return { usage: "/todo add <position> <description>", choices };
  }
  const names = NAMES.filter((known) => known.startsWith(name === "todo" ? "" : name));
  return {
    choices: names.map((label) => ({ line: `/todo ${label} `, label, detail: `What ${label} does` })),
  };
}

export function showList(todos: Item[]): string {
  const lines = todos.map(({ content, status }, at) => `${at + 1}. [${status.toUpperCase()}] ${content}`);
  return ["Current TODO List:", ...lines].join("\n");
}

/** The steps of a text with bullets, as the gateway reads them. */
export function stepsOf(text: string): PreviewedStep[] {
  return text.split("\n").flatMap((line) => {
    const [, indent = "", content] = /^(\s*)- (.+)$/.exec(line) ?? [];
    return content === undefined ? [] : [{ content, status: "pending", isSubtask: indent !== "" }];
  });
}
