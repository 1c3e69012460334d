import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { call } from "../../agents/scripted.ts";
import type { DataFolder } from "../../parts/gateway.ts";
import { installed, type Started } from "../started.ts";

function configuration(folder: DataFolder): string {
  return join(folder.home, ".continue/config.yaml");
}

/** Headless it writes its session, and with it its own list, only at the end; so that list is not tested here. */
export const continueCn: Started = {
  name: "continue",
  title: "Continue",
  program: [process.execPath, join(installed("continue"), "@continuedev/cli/dist/cn.js")],
  command: "cn",
  environment: () => ({ CONTINUE_CLI_ENABLE_TELEMETRY: "0", CONTINUE_METRICS_ENABLED: "0" }),
  prepare(folder, model) {
    // Whoever asks for its version makes it write a log.
    mkdirSync(join(folder.home, ".continue/logs"), { recursive: true });
    writeFileSync(join(folder.home, ".continue/logs/cn.log"), "");
    const found = `    apiBase: ${model.address}/v1\n    apiKey: none\n`;
    const models = `models:\n  - name: Scripted\n    provider: openai\n    model: scripted\n${found}`;
    writeFileSync(configuration(folder), `name: Mine\nversion: 1.0.0\nschema: v1\n${models}`);
  },
  connectOverHttp(folder, { url, headers }) {
    const fields = Object.entries(headers).map(([name, value]) => `        ${name}: ${value}\n`);
    const server = `  - name: sightline\n    type: streamable-http\n    url: ${url}\n`;
    const sent = `    requestOptions:\n      headers:\n${fields.join("")}`;
    appendFileSync(configuration(folder), `mcpServers:\n${server}${sent}`);
  },
  arguments(prompt, variant) {
    return ["--auto", "--format", "json", ...(variant === "resumed" ? ["--resume"] : []), "-p", prompt];
  },
  variants: ["resumed"],
  before: [],
  write: (args) => call("todo_write", args),
  other: call("Bash", { command: "pwd" }),
  hears: [],
};
