// The real call of the agents that are installed for every run.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "../parts/test.ts";
import { connect } from "./connect.ts";
import { GEMINI, Gemini } from "./gemini.ts";
import { config, ENVIRONMENT, OPENCODE } from "./opencode.ts";
import { type Installed, realCall } from "./real-call.ts";
import { call } from "./scripted.ts";

const AGENTS: Record<string, Installed> = {
  gemini: {
    title: "Gemini CLI",
    write: (args) => call("mcp_sightline_todo_write", args),
    program: [process.execPath, GEMINI],
    connected: async (gateway, model) => (await Gemini.connected(gateway, model)).environment,
  },
  opencode: {
    title: "opencode",
    write: (args) => call("sightline_todo_write", args),
    program: [OPENCODE],
    async connected({ folder }, model) {
      const path = join(folder.home, ".config/opencode");
      mkdirSync(path, { recursive: true });
      writeFileSync(join(path, "opencode.json"), config(model));
      await connect("opencode", folder);
      return ENVIRONMENT;
    },
  },
};

for (const [name, agent] of Object.entries(AGENTS)) {
  // D2
  test(`one real call of ${name} is tested, and leaves nothing`, ({ gateway }) =>
    realCall(name, agent, gateway));
}
