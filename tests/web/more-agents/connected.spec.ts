// Every agent is found, connected and disconnected by one command, and calls our tool for a test.
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { realCall, searchPath } from "../agents/real-call.ts";
import { Model } from "../agents/scripted.ts";
import { type DataFolder, SIGHTLINE } from "../parts/gateway.ts";
import { AGENTS } from "./agents/index.ts";
import { connected } from "./run.ts";
import { expect, test, versionOf } from "./test.ts";

/** The files of a home with their contents, without the copies that are kept of what was there. */
function files(home: string): Map<string, string> {
  const paths = readdirSync(home, { recursive: true, encoding: "utf8" }).sort();
  const kept = paths.filter((path) => statSync(join(home, path)).isFile() && !/backup/.test(path));
  return new Map(kept.map((path) => [path, readFileSync(join(home, path), "latin1")]));
}

/** The files with something of ours in them. An agent makes files of its own meanwhile, also to say its version. */
function ours(home: string): string[] {
  return [...files(home)].filter(([, content]) => content.includes("sightline")).map(([path]) => path);
}

for (const agent of AGENTS) {
  const path = (folder: DataFolder): string => searchPath(folder, agent.command ?? agent.name, agent.program);

  // D2
  test(`${agent.name} is found with its version, and disconnected without a trace`, async ({
    gateway,
    proves,
  }) => {
    proves(agent, "is found with its version", "is disconnected without a trace");
    const { folder } = gateway;
    const model = await Model.start();
    try {
      await agent.prepare?.(folder, model);
      const before = [...files(folder.home)];
      const asBefore = () => {
        const now = files(folder.home);
        return before.map(([path]) => [path, now.get(path)]);
      };
      const env = folder.environment({ ...agent.environment(model), PATH: path(folder) });
      const say = (...args: string[]): string =>
        execFileSync(SIGHTLINE, [...args, "--data-dir", folder.path], { encoding: "utf8", env });
      const shown = () => (JSON.parse(say("agents", agent.name, "--json")) as object[])[0];
      expect(shown()).toMatchObject({ agent: agent.name, version: versionOf(agent), server: "absent" });
      const preview = say("connect", agent.name, "--dry-run");
      expect(preview).toContain("sightline");
      expect(ours(folder.home), "a preview writes nothing").toEqual([]);
      expect(asBefore()).toEqual(before);
      say("connect", agent.name, "--yes");
      expect(shown()).toMatchObject({ server: "ours" });
      expect(ours(folder.home)).not.toEqual([]);
      say("disconnect", agent.name, "--yes");
      expect(ours(folder.home), "nothing of ours is left").toEqual([]);
      expect(asBefore(), "byte for byte as it was").toEqual(before);
      expect(shown()).toMatchObject({ server: "absent" });
    } finally {
      await model.stop();
    }
  });

  // D2
  test(`one real call of ${agent.name} is tested, and leaves nothing`, async ({ gateway, proves }) => {
    proves(agent, "calls for a test");
    const { title, before, write, program, command } = agent;
    const ready = async (model: Model): Promise<Record<string, string>> => {
      await connected(agent, gateway, model);
      return agent.environment(model);
    };
    await realCall(
      agent.name,
      { title, before, write, program, command, connected: (_, model) => ready(model) },
      gateway,
    );
    await agent.after?.(gateway.folder);
  });
}
