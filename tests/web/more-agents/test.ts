// The tests of agents, each of which says what it proves: seen/NAME.json has it as long as the test passes.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test as base } from "../browser/test.ts";
import type { Started } from "./started.ts";

/** Facts that a test can show of an agent. */
export type Fact =
  | "is found with its version"
  | "is disconnected without a trace"
  | "calls for a test"
  | "lists over stdio"
  | "lists over http"
  | "hears with any tool"
  | "hears with a prompt"
  | "hears at the end of a turn"
  | "lists without hooks"
  | "built-in list"
  | "built-in list is editable"
  | "goes on with its session"
  | "two runs are two sessions"
  | "two runs over http are two sessions"
  | "a fork is a session of its own"
  | "a subagent has its own list"
  | "lists under an editor";

/** The file with what was seen of an agent, and of which version. */
interface Seen {
  version: string;
  facts: string[];
}

export const test = base.extend<{ proves: (agent: Started, ...facts: Fact[]) => void }>({
  proves: async ({}, use, info) => {
    const claims: [Started, Fact[]][] = [];
    await use((agent, ...facts) => claims.push([agent, facts]));
    for (const [agent, facts] of claims) note(agent, facts, info.status === "passed");
  },
});

export { expect } from "../browser/test.ts";

function note(agent: Started, facts: Fact[], isTrue: boolean): void {
  const path = join(import.meta.dirname, "seen", `${agent.name}.json`);
  const version = versionOf(agent);
  const old = existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as Seen) : undefined;
  // Facts of another version say nothing of this one.
  const known = new Set<string>(old?.version === version ? old.facts : []);
  for (const fact of facts) {
    if (isTrue) known.add(fact);
    else known.delete(fact);
  }
  mkdirSync(join(path, ".."), { recursive: true });
  const seen: Seen = { version, facts: [...known].sort() };
  writeFileSync(path, `${JSON.stringify(seen, undefined, 2)}\n`);
}

const versions = new Map<string, string>();

/** The version that an agent's program says it is. */
export function versionOf(agent: Started): string {
  const known = versions.get(agent.name);
  if (known !== undefined) return known;
  const [program, ...words] = agent.program as [string, ...string[]];
  // Some say it where others complain.
  const { stdout, stderr } = spawnSync(program, [...words, "--version"], {
    encoding: "utf8",
    timeout: 60_000,
  });
  const said = `${stdout}${stderr}`;
  const version = /\d+\.\d+\.\d+(?:[-+.\w]*\w)?/.exec(said)?.[0];
  if (version === undefined) throw new Error(`${agent.name} --version says no version: ${said}`);
  versions.set(agent.name, version);
  return version;
}
