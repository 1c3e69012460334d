import { join } from "node:path";
import { call } from "../../agents/scripted.ts";
import { changeJson, installed, type Started } from "../started.ts";

/** It has no MCP: extensions of ours have the tools and the events. */
export const pi: Started = {
  name: "pi",
  title: "pi",
  program: [process.execPath, join(installed("pi"), "@earendil-works/pi-coding-agent/dist/cli.js")],
  environment: () => ({ PI_OFFLINE: "1" }),
  prepare(folder, model) {
    const path = join(folder.home, ".pi/agent");
    changeJson(join(path, "settings.json"), (settings) => {
      settings.defaultProvider = "mock";
      settings.defaultModel = "scripted";
    });
    changeJson(join(path, "models.json"), (value) => {
      const found = { baseUrl: `${model.address}/v1`, api: "openai-completions", apiKey: "none" };
      value.providers = { mock: { ...found, models: [{ id: "scripted" }] } };
    });
  },
  arguments(prompt, variant) {
    return ["--mode", "json", ...(variant === "resumed" ? ["--continue"] : []), "-p", prompt];
  },
  variants: ["resumed"],
  before: [],
  write: (args) => call("todo_write", args),
  other: call("bash", { command: "pwd" }),
  hears: ["tool", "prompt", "end"],
};
