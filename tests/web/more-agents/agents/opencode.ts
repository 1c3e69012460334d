import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { config, ENVIRONMENT, OPENCODE } from "../../agents/opencode.ts";
import { call } from "../../agents/scripted.ts";
import type { DataFolder } from "../../parts/gateway.ts";
import { changeJson, type Started } from "../started.ts";

const settings = (folder: DataFolder): string => join(folder.home, ".config/opencode/opencode.json");

export const opencode: Started = {
  name: "opencode",
  title: "opencode",
  program: [OPENCODE],
  underEditor: [OPENCODE, "acp"],
  environment: () => ENVIRONMENT,
  prepare(folder, model) {
    mkdirSync(dirname(settings(folder)), { recursive: true });
    writeFileSync(settings(folder), config(model));
  },
  connectOverHttp(folder, { url, headers }) {
    changeJson(settings(folder), ({ mcp }) => {
      mcp.sightline = { type: "remote", url, headers, enabled: true };
    });
  },
  arguments: (prompt, variant) => [
    "run",
    "--format",
    "json",
    ...(variant === "resumed" ? ["--continue"] : []),
    prompt,
  ],
  variants: ["resumed"],
  before: [],
  write: (args) => call("sightline_todo_write", args),
  other: call("bash", { command: "pwd", description: "Print the folder" }),
  // `opencode run` ends with its turn; elsewhere it hears at its end, too.
  hears: ["tool", "prompt"],
  builtIn: {
    tool: "todowrite",
    keep: (todos) => [
      call("todowrite", {
        todos: todos.map(({ content, status }) => ({ content, status, priority: "medium" })),
      }),
    ],
    comesBy: "hook",
    isEditable: true,
  },
  delegate: (prompt) => call("task", { description: "Part", prompt, subagent_type: "general" }),
};
