import { join } from "node:path";
import { call } from "../../agents/scripted.ts";
import type { Todo } from "../../parts/agent.ts";
import { changeJson, installed, type Started } from "../started.ts";

/** It unpacks 235 MB of itself once, which is not to be done in every home. */
const CACHE = `XDG_CACHE_HOME=${join(installed("copilot"), ".cache")}`;

/** The statement after which its table is this list, at once: half of a list is none. */
function table(todos: Todo[]): string {
  const text = (words = ""): string => `'${words.replaceAll("'", "''")}'`;
  const status = (word = "pending"): string => (word === "completed" ? "done" : word);
  const rows = todos.map((todo) => `(${[todo.id, todo.content, status(todo.status)].map(text).join(", ")})`);
  return `INSERT OR REPLACE INTO todos (id, title, status) VALUES ${rows.join(", ")}`;
}

export const copilot: Started = {
  name: "copilot",
  title: "Copilot CLI",
  program: ["/usr/bin/env", CACHE, join(installed("copilot"), "@github/copilot-linux-x64/copilot")],
  environment: (model) => ({
    COPILOT_OFFLINE: "true",
    COPILOT_PROVIDER_BASE_URL: `${model.address}/v1`,
    COPILOT_PROVIDER_API_KEY: "none",
    COPILOT_MODEL: "scripted",
  }),
  connectOverHttp(folder, { url, headers }) {
    changeJson(join(folder.home, ".copilot/mcp-config.json"), (settings) => {
      settings.mcpServers = { sightline: { type: "http", url, headers, tools: ["*"] } };
    });
  },
  arguments: (prompt, variant) => [
    ...(variant === "resumed" ? ["--continue"] : []),
    ...["--allow-all-tools", "--output-format", "json", "-p", prompt],
  ],
  variants: ["resumed"],
  before: [],
  write: (args) => call("sightline-todo_write", args),
  other: call("bash", { command: "pwd", description: "Shows the folder" }),
  hears: ["tool", "prompt", "end"],
  builtIn: {
    tool: "sql",
    keep: (todos) => [call("sql", { description: "Keep the list", query: table(todos) })],
    comesBy: "file",
    isEditable: true,
  },
  delegate: (prompt) =>
    call("task", {
      name: "part",
      description: "A part",
      prompt,
      agent_type: "general-purpose",
      mode: "sync",
    }),
  tellsFolderOverHttp: true,
};
