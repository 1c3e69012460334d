import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { call } from "../../agents/scripted.ts";
import { changeJson, installed, type Started } from "../started.ts";

/** It runs only with a screen where it goes on with a session, and its subagents do not get MCP tools. */
export const cline: Started = {
  name: "cline",
  title: "Cline",
  program: [join(installed("cline"), "@cline/cli-linux-x64/bin/cline")],
  environment: () => ({}),
  prepare(folder, model) {
    // As `cline auth openai-compatible` writes it.
    changeJson(join(folder.home, ".cline/data/settings/providers.json"), (settings) => {
      const provider = "openai-compatible";
      const found = { provider, apiKey: "none", model: "scripted", baseUrl: `${model.address}/v1` };
      Object.assign(settings, { version: 1, lastUsedProvider: provider, modes: {} });
      settings.providers = {
        [provider]: { settings: found, updatedAt: "2026-11-24T16:00:00.000Z", tokenSource: "manual" },
      };
    });
  },
  connectOverHttp(folder, { url, headers }) {
    changeJson(join(folder.home, ".cline/data/settings/cline_mcp_settings.json"), (settings) => {
      settings.mcpServers = { sightline: { type: "streamableHttp", url, headers } };
    });
  },
  arguments: (prompt) => ["--json", prompt],
  variants: [],
  before: [],
  write: (args) => call("sightline__todo_write", args),
  other: call("run_commands", { commands: ["pwd"] }),
  hears: ["tool"],
  /** Its hub is left running, with the home of the test. */
  after({ home }) {
    for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
      try {
        const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
        const variables = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
        if (words.includes("--cline-hub-daemon") && variables.includes(`HOME=${home}`))
          process.kill(Number(pid));
      } catch {
        // It has ended, or is not ours to look at.
      }
    }
  },
};
