import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { call } from "../../agents/scripted.ts";
import { changeJson, installed, node22, type Started } from "../started.ts";

const PROGRAM = [node22("kimi"), join(installed("kimi"), "@moonshot-ai/kimi-code/dist/main.mjs")];

/** Headless it asks for nothing. */
export const kimi: Started = {
  name: "kimi",
  title: "Kimi Code",
  program: PROGRAM,
  underEditor: [...PROGRAM, "acp"],
  environment: () => ({ KIMI_CODE_NO_AUTO_UPDATE: "1", KIMI_DISABLE_TELEMETRY: "1" }),
  prepare(folder, model) {
    const path = join(folder.home, ".kimi-code");
    mkdirSync(path, { recursive: true });
    const found = `type = "openai"\nbase_url = "${model.address}/v1"\napi_key = "none"\n`;
    const named = `provider = "mock"\nmodel = "scripted"\nmax_context_size = 100000\n`;
    const tables = `[providers.mock]\n${found}\n[models.scripted]\n${named}`;
    writeFileSync(join(path, "config.toml"), `default_model = "scripted"\n\n${tables}`);
  },
  connectOverHttp(folder, { url, headers }) {
    changeJson(join(folder.home, ".kimi-code/mcp.json"), (settings) => {
      settings.mcpServers = { sightline: { url, headers } };
    });
  },
  arguments(prompt, variant) {
    const what = [...(variant === "resumed" ? ["--continue"] : []), "-p", prompt];
    return ["--output-format", "stream-json", ...what];
  },
  variants: ["resumed"],
  before: [],
  write: (args) => call("mcp__sightline__todo_write", args),
  other: call("Bash", { command: "pwd" }),
  hears: ["prompt", "end"],
  goesOnOnce: true,
  delegate: (prompt) => call("Agent", { description: "Part", prompt, subagent_type: "coder" }),
  builtIn: {
    tool: "TodoList",
    keep: (todos) => [
      call("TodoList", {
        todos: todos.map(({ content, status }) => ({
          title: content,
          status: status === "completed" ? "done" : status,
        })),
      }),
    ],
    comesBy: "hook",
    // It hears of edits with a prompt and at the end of a turn, so not before its first turn has ended.
    isEditable: false,
  },
};
