// `sightline agents AGENT --test --real`: the agent itself is asked for a list, and what came of it is gone after that.
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type DataFolder, type Gateway, SIGHTLINE } from "../parts/gateway.ts";
import type { Child } from "../parts/process.ts";
import { Socket } from "../parts/socket.ts";
import { expect, test } from "../parts/test.ts";
import { connect } from "./connect.ts";
import { GEMINI, Gemini } from "./gemini.ts";
import { config, ENVIRONMENT, OPENCODE } from "./opencode.ts";
import { call, LAST_WORD, Model, textOf } from "./scripted.ts";

/** An agent that was connected, and can be started by its name. */
interface Installed {
  title: string;
  /** Our tool, as its model calls it. */
  write: string;
  /** The words of its program. */
  program: string[];
  /** Connects it; gives its environment. */
  connected(gateway: Gateway, model: Model): Promise<Record<string, string>>;
}

const AGENTS: Record<string, Installed> = {
  gemini: {
    title: "Gemini CLI",
    write: "mcp_sightline_todo_write",
    program: [process.execPath, GEMINI],
    connected: async (gateway, model) => (await Gemini.connected(gateway, model)).environment,
  },
  opencode: {
    title: "opencode",
    write: "sightline_todo_write",
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

/** A folder for the search path that has the agent by its name. */
function searchPath(folder: DataFolder, name: string, program: string[]): string {
  const path = join(folder.root, "bin");
  mkdirSync(path);
  const words = program.map((word) => `'${word}'`).join(" ");
  writeFileSync(join(path, name), `#!/bin/sh\nexec ${words} "$@"\n`);
  chmodSync(join(path, name), 0o755);
  return `${path}:${process.env.PATH}`;
}

/** The arguments that the test asks for. */
async function wanted(model: Model): Promise<Record<string, unknown>> {
  const prompts = (await model.asked()).filter(({ role }) => role === "user").map(textOf);
  const said = prompts.map((prompt) => /with these arguments: (\{.*\})\. Then/s.exec(prompt)?.[1]);
  const json = said.find((found) => found !== undefined)!;
  return JSON.parse(json) as Record<string, unknown>;
}

for (const [name, agent] of Object.entries(AGENTS)) {
  // D2
  test(`one real call of ${name} is tested, and leaves nothing`, async ({ folder, gateway }) => {
    const model = await Model.start();
    const environment = {
      ...(await agent.connected(gateway, model)),
      PATH: searchPath(folder, name, agent.program),
    };
    const testing = (): Child =>
      folder.spawn(
        `sightline agents ${name} --test --real`,
        SIGHTLINE,
        ["--data-dir", folder.path, "agents", name, "--test", "--real"],
        environment,
      );
    const user = await Socket.open(gateway.runtime);
    await user.ask("events.subscribe");
    const left = async () => (await user.ask("session.list"))["sessions"];
    try {
      const calling = testing();
      await model.answer(call(agent.write, await wanted(model)));
      await model.answer(LAST_WORD);
      expect(await calling.end(90), calling.output).toBe(0);
      expect(calling.output).toContain(`✓ asked ${agent.title} to send a list itself`);
      expect(calling.output).toMatch(new RegExp(`✓ ${agent.title} itself sent a list after \\d+\\.\\d s`));
      expect(await left()).toEqual([]);

      const refusing = testing();
      await model.answer({ content: "I would rather not." });
      expect(await refusing.end(90), refusing.output).toBe(1);
      expect(refusing.output).toContain("✓ a first list arrived");
      expect(refusing.output).toMatch(
        new RegExp(`✗ ${agent.title} itself sent no list: it ended without a list`),
      );
      expect(refusing.output, "what it said is shown").toContain("I would rather not.");
      expect(await left(), "nothing came late, either").toEqual([]);
    } finally {
      user.close();
      await model.stop();
    }
  });
}
