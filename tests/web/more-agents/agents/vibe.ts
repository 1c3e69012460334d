import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { FixtureResponse } from "@copilotkit/aimock";
import { call } from "../../agents/scripted.ts";
import type { DataFolder } from "../../parts/gateway.ts";
import { installed, type Started } from "../started.ts";

/** Adds to its configuration. */
function add(folder: DataFolder, toml: string): void {
  const path = join(folder.home, ".vibe");
  mkdirSync(path, { recursive: true });
  appendFileSync(join(path, "config.toml"), toml);
}

/** A program that its model writes, with one call in it. */
function program(tool: string, args: Record<string, unknown>): FixtureResponse {
  const code = `async function main() {\n  return await tools.${tool}(${JSON.stringify(args)});\n}`;
  return call("run_typescript", { code });
}

/** It is a Python package, which vibe/install.js puts beside the packages of the others. */
export const vibe: Started = {
  name: "vibe",
  title: "Mistral Vibe",
  program: [join(installed("vibe"), "python/bin/vibe")],
  underEditor: [join(installed("vibe"), "python/bin/vibe-acp")],
  environment: () => ({ MOCK_KEY: "none" }),
  prepare(folder, model) {
    const quiet = `active_model = "scripted"\nenable_update_checks = false\nenable_telemetry = false\n`;
    const found = `api_base = "${model.address}/v1"\napi_key_env_var = "MOCK_KEY"\n`;
    const provider = `[[providers]]\nname = "mock"\n${found}api_style = "openai"\nbackend = "generic"\n`;
    const named = `[[models]]\nname = "scripted"\nprovider = "mock"\nalias = "scripted"\n`;
    add(folder, `${quiet}\n${provider}\n${named}`);
  },
  connectOverHttp(folder, { url, headers }) {
    const fields = Object.entries(headers).map(([name, value]) => `"${name}" = "${value}"`);
    const server = `name = "sightline"\ntransport = "streamable-http"\nurl = "${url}"\n`;
    add(folder, `\n[[mcp_servers]]\n${server}headers = { ${fields.join(", ")} }\n`);
  },
  arguments(prompt, variant) {
    const what = [...(variant === "resumed" ? ["--continue"] : []), "-p", prompt];
    return ["--trust", "--auto-approve", ...what, "--output", "json"];
  },
  variants: ["resumed"],
  before: [],
  write: (args) => program("mcp_sightline.todo_write", args),
  other: call("bash", { command: "pwd" }),
  hears: ["tool", "end"],
  builtIn: {
    tool: "todo",
    keep: (todos) => [
      call("todo", {
        action: "write",
        todos: todos.map(({ content, status }, at) => ({ id: String(at + 1), content, status })),
      }),
    ],
    comesBy: "hook",
    isEditable: true,
  },
  delegate: (message) => program("agents.spawn", { name: "part", message }),
  tellsFolderOverHttp: process.platform === "linux",
};
