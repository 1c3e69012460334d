import { join } from "node:path";
import { call } from "../../agents/scripted.ts";
import { changeJson, installed, node22, type Started } from "../started.ts";

const PROGRAM = [node22("qwen"), join(installed("qwen"), "@qwen-code/qwen-code/cli-entry.js")];

/** It asks for a clipboard of other platforms that not every registry has: `overrides` in its package.json. */
export const qwen: Started = {
  name: "qwen",
  title: "Qwen Code",
  program: PROGRAM,
  // By default its model judges each call first.
  underEditor: [...PROGRAM, "--auth-type", "openai", "--approval-mode", "default", "--acp"],
  environment: (model) => ({
    OPENAI_BASE_URL: `${model.address}/v1`,
    OPENAI_API_KEY: "none",
    OPENAI_MODEL: "scripted",
  }),
  connectOverHttp(folder, { url, headers }) {
    changeJson(join(folder.home, ".qwen/settings.json"), (settings) => {
      settings.mcpServers = { sightline: { httpUrl: url, headers } };
    });
  },
  arguments(prompt, variant) {
    const what = [...(variant === "resumed" ? ["--continue"] : []), "-p", prompt];
    return ["--auth-type", "openai", "--yolo", "-o", "stream-json", ...what];
  },
  variants: ["resumed"],
  before: [call("tool_search", { query: "select:mcp__sightline__todo_write" })],
  write: (args) => call("mcp__sightline__todo_write", args),
  other: call("glob", { pattern: "*" }),
  hears: ["tool", "prompt", "end"],
  builtIn: {
    tool: "todo_write",
    keep: (todos) => [call("todo_write", { todos })],
    hasSwitch: true,
    comesBy: "hook",
    isEditable: true,
  },
  delegate: (prompt) => call("agent", { description: "Part", prompt, subagent_type: "general-purpose" }),
};
