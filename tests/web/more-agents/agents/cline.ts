import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { call } from "../../agents/scripted.ts";
import { until } from "../../parts/process.ts";
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
  async after({ home }) {
    const hubs = readdirSync("/proc").filter((pid) => isHubOf(home, pid));
    for (const pid of hubs) process.kill(Number(pid));
    await until("its hub ends", () => !hubs.some((pid) => isHubOf(home, pid)), 30);
  },
};

/** True if a process is the hub that was started with this home. */
function isHubOf(home: string, pid: string): boolean {
  const read = (name: string): string[] => readFileSync(`/proc/${pid}/${name}`, "utf8").split("\0");
  try {
    return read("cmdline").includes("--cline-hub-daemon") && read("environ").includes(`HOME=${home}`);
  } catch {
    // It is no process, has ended, or is not ours to look at.
    return false;
  }
}
