// `sightline agents AGENT --test --real`: the agent itself is asked for a list, and what came of it is gone after that.
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ChatMessage, FixtureResponse } from "@copilotkit/aimock";
import { type DataFolder, type Gateway, SIGHTLINE } from "../parts/gateway.ts";
import type { Child } from "../parts/process.ts";
import { Socket } from "../parts/socket.ts";
import { expect } from "../parts/test.ts";
import { LAST_WORD, Model } from "./scripted.ts";

/** An agent that was connected, and can be started by its name. */
export interface Installed {
  title: string;
  /** The calls that its model makes before it can write a list. */
  before?: readonly FixtureResponse[];
  /** Its model's call of our tool, with these arguments. */
  write(args: Record<string, unknown>): FixtureResponse;
  /** The words of its program. */
  program: readonly string[];
  /** The name of its program on the search path, where it is another than the agent's. */
  command?: string;
  /** Connects it; gives its environment. */
  connected(gateway: Gateway, model: Model): Promise<Record<string, string>>;
}

/** A search path on which the agent's program is found by its name. */
export function searchPath(folder: DataFolder, name: string, program: readonly string[]): string {
  const path = join(folder.root, "bin");
  mkdirSync(path, { recursive: true });
  const words = program.map((word) => `'${word}'`).join(" ");
  writeFileSync(join(path, name), `#!/bin/sh\nexec ${words} "$@"\n`);
  chmodSync(join(path, name), 0o755);
  return `${path}:${process.env.PATH}`;
}

/** The text of a message, which may come in parts. */
function words({ content }: ChatMessage): string {
  if (!Array.isArray(content)) return content ?? "";
  return content.map(({ text }) => text ?? "").join("\n");
}

/** The arguments that the test asks for. */
async function wanted(model: Model): Promise<Record<string, unknown>> {
  const prompts = (await model.asked()).filter(({ role }) => role === "user").map(words);
  const said = prompts.map((prompt) => /with these arguments: (\{.*\})\. Then/s.exec(prompt)?.[1]);
  const json = said.find((found) => found !== undefined)!;
  return JSON.parse(json) as Record<string, unknown>;
}

/** One real call that the model makes is told as one, and one that it does not make is told as none; neither leaves
 * anything. */
export async function realCall(name: string, agent: Installed, gateway: Gateway): Promise<void> {
  const { folder } = gateway;
  const model = await Model.start();
  const environment = {
    ...(await agent.connected(gateway, model)),
    PATH: searchPath(folder, agent.command ?? name, agent.program),
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
    const args = await wanted(model);
    for (const answer of agent.before ?? []) await model.answer(answer);
    await model.answer(agent.write(args));
    await model.answer(LAST_WORD);
    expect(await calling.end(90), calling.output).toBe(0);
    expect(calling.output).toContain(`✓ asked ${agent.title} to send a list itself`);
    expect(calling.output).toMatch(new RegExp(`✓ ${agent.title} itself sent a list after \\d+\\.\\d s`));
    expect(await left()).toEqual([]);

    const refusing = testing();
    await model.answer({ content: "I would rather not." });
    model.answerAll();
    expect(await refusing.end(90), refusing.output).toBe(1);
    expect(refusing.output).toContain("✓ the test list arrived");
    expect(refusing.output).toMatch(
      new RegExp(`✗ ${agent.title} itself sent no list: it ended without a list`),
    );
    expect(refusing.output, "what it said is shown").toContain("I would rather not.");
    expect(await left(), "nothing came late, either").toEqual([]);
  } finally {
    user.close();
    await model.stop();
  }
}
