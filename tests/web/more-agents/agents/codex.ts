import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { call } from "../../agents/scripted.ts";
import type { DataFolder } from "../../parts/gateway.ts";
import { installed, type Started } from "../started.ts";

/** Adds to its configuration. */
function add(folder: DataFolder, toml: string): void {
  const path = join(folder.home, ".codex");
  mkdirSync(path, { recursive: true });
  appendFileSync(join(path, "config.toml"), toml);
}

export const codex: Started = {
  name: "codex",
  title: "Codex",
  program: [process.execPath, join(installed("codex"), "@openai/codex/bin/codex.js")],
  environment: () => ({ MOCK_KEY: "none" }),
  prepare(folder, model) {
    const chosen = `model = "gpt-5"\nmodel_provider = "mock"\n`;
    const found = `base_url = "${model.address}/v1"\nwire_api = "responses"\nenv_key = "MOCK_KEY"\n`;
    add(folder, `${chosen}\n[model_providers.mock]\nname = "mock"\n${found}`);
  },
  connectOverHttp(folder, { url, headers }) {
    const fields = Object.entries(headers).map(([name, value]) => `"${name}" = "${value}"`);
    add(folder, `\n[mcp_servers.sightline]\nurl = "${url}"\nhttp_headers = { ${fields.join(", ")} }\n`);
  },
  arguments(prompt, variant) {
    const free = ["--skip-git-repo-check", "-s", "danger-full-access"];
    // Nobody is there to be asked whether our hooks are trusted.
    if (variant !== "without hooks") free.push("--dangerously-bypass-hook-trust");
    const what = variant === "resumed" ? ["resume", "--last", prompt] : [prompt];
    return ["exec", ...free, "--json", ...what];
  },
  variants: ["resumed", "without hooks"],
  before: [],
  write: (args) => call("mcp__sightline__todo_write", args),
  other: call("exec_command", { cmd: "pwd" }),
  hears: ["tool", "prompt", "end"],
  builtIn: {
    tool: "update_plan",
    keep: (todos) => [
      call("update_plan", { plan: todos.map(({ content, status }) => ({ step: content, status })) }),
    ],
    hasSwitch: true,
    comesBy: "hook",
    isEditable: true,
  },
  delegate: (message) => call("multi_agent_v1__spawn_agent", { message }),
};
