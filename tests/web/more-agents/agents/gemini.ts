import { join } from "node:path";
import { GEMINI } from "../../agents/gemini.ts";
import { call } from "../../agents/scripted.ts";
import { changeJson, type Started } from "../started.ts";

export const gemini: Started = {
  name: "gemini",
  title: "Gemini CLI",
  program: [process.execPath, GEMINI],
  underEditor: [process.execPath, GEMINI, "--acp"],
  outlivesEditor: true,
  environment: (model) => ({
    GOOGLE_GEMINI_BASE_URL: model.address,
    GEMINI_API_KEY: "none",
    GEMINI_MODEL: "gemini-2.5-flash",
    GEMINI_CLI_TRUST_WORKSPACE: "true",
  }),
  prepare(folder) {
    changeJson(join(folder.home, ".gemini/settings.json"), (settings) => {
      settings.security = { auth: { selectedType: "gemini-api-key" } };
      settings.privacy = { usageStatisticsEnabled: false };
      settings.general = { enableAutoUpdate: false };
      settings.tools = { useRipgrep: false };
    });
  },
  connectOverHttp(folder, { url, headers }) {
    changeJson(join(folder.home, ".gemini/settings.json"), (settings) => {
      settings.mcpServers = { sightline: { httpUrl: url, headers, trust: true } };
    });
  },
  arguments(prompt, variant) {
    const what = [...(variant === "resumed" ? ["--resume", "latest"] : []), "-p", prompt];
    return ["--approval-mode", "yolo", "-o", "stream-json", ...what];
  },
  variants: ["resumed"],
  before: [],
  write: (args) => call("mcp_sightline_todo_write", args),
  other: call("list_directory", { dir_path: "." }),
  hears: ["tool", "prompt", "end"],
  builtIn: {
    tool: "write_todos",
    keep: (todos) => [
      call("write_todos", {
        todos: todos.map(({ content, status }) => ({ description: content, status })),
      }),
    ],
    comesBy: "hook",
    isEditable: true,
  },
};
