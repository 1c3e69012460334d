import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { config } from "../../agents/opencode.ts";
import { call } from "../../agents/scripted.ts";
import type { DataFolder } from "../../parts/gateway.ts";
import { changeJson, installed, type Started } from "../started.ts";

const PROGRAM = join(installed("kilo"), "@kilocode/cli-linux-x64/bin/kilo");

const settings = (folder: DataFolder): string => join(folder.home, ".config/kilo/kilo.json");

/** It is made of opencode, and configured as it is. */
export const kilo: Started = {
  name: "kilo",
  title: "Kilo Code",
  program: [PROGRAM],
  underEditor: [PROGRAM, "acp"],
  environment: () => ({
    KILO_DISABLE_AUTOUPDATE: "1",
    KILO_DISABLE_MODELS_FETCH: "1",
    // It would install its plugin package in the background, which nothing here needs.
    npm_config_offline: "true",
  }),
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
  hears: ["tool", "prompt", "end"],
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
