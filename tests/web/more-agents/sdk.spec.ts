// Agents that are built with an SDK, by the programs that docs/agents.md shows.
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { times } from "../agents/edits.ts";
import { call, Model, since, textOf } from "../agents/scripted.ts";
import { asSent, contents } from "../parts/agent.ts";
import { type Gateway, SIGHTLINE } from "../parts/gateway.ts";
import type { Child } from "../parts/process.ts";
import { Socket } from "../parts/socket.ts";
import { NEXT, STORY } from "../parts/story.ts";
import { SDK_IS_CHOSEN } from "./agents/index.ts";
import { ADDED, PROMPT, sessions, todosOf } from "./run.ts";
import { overHttp, packages, type Snippet, snippets } from "./sdk/page.ts";
import { installed, node22, project, type Way } from "./started.ts";
import { expect, test } from "./test.ts";

test.skip(!SDK_IS_CHOSEN, "SIGHTLINE_AGENTS leaves it out");

const PYTHON =
  process.env.SIGHTLINE_SDK_PYTHON ?? resolve(import.meta.dirname, "../../../target/venv-sdk/bin/python");

const LAST_WORDS = "The release is ready.";

/** The ways in which an SDK differs from the others. */
interface Odd {
  /** The beginning of our tools' names. */
  prefix?: string;
  /** The agent's name over stdio. */
  stdio?: string;
  /** The agent's name over HTTP. */
  http?: string;
}

const ODD: Record<string, Odd> = {
  "Claude Agent SDK": { prefix: "mcp__sightline__", stdio: "claude", http: "claude" },
};

/** Starts a program of the page as somebody would who has copied it into a folder. */
function run(snippet: Snippet, way: Way, gateway: Gateway, model: Model): Child {
  const { folder, address, runtime } = gateway;
  const path = project(folder);
  // The data folder of a test is not the one that a program finds by itself.
  const programs = join(folder.root, "programs");
  mkdirSync(programs);
  writeFileSync(
    join(programs, "sightline"),
    `#!/bin/sh\nexec '${SIGHTLINE}' --data-dir '${folder.path}' "$@"\n`,
  );
  chmodSync(join(programs, "sightline"), 0o755);
  const isPython = snippet.language === "python";
  if (!isPython) symlinkSync(installed("sdk"), join(path, "node_modules"));
  const file = join(path, isPython ? "release.py" : "release.mjs");
  writeFileSync(file, way === "http" ? overHttp(snippet) : snippet.program);
  const keys = { SIGHTLINE_MCP_URL: `${address}/mcp`, SIGHTLINE_AGENT_KEY: runtime.agentToken };
  return folder.spawn(
    snippet.title,
    isPython ? PYTHON : node22("sdk"),
    [file],
    {
      PATH: `${programs}:${process.env.PATH}`,
      PWD: path,
      OPENAI_BASE_URL: `${model.address}/v1`,
      OPENAI_API_KEY: "none",
      OPENAI_AGENTS_DISABLE_TRACING: "1",
      ANTHROPIC_BASE_URL: model.address,
      ANTHROPIC_API_KEY: "none",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      ...(way === "http" && keys),
    },
    path,
  );
}

// S8
test("the page names the packages that its programs are run with", () => {
  const introductions = snippets().map(({ introduction }) => introduction);
  for (const one of packages()) expect(introductions.join("\n").replaceAll("`", "")).toContain(one);
});

for (const snippet of snippets())
  for (const way of ["stdio", "http"] as const) {
    const odd = ODD[snippet.title] ?? {};
    const write = (todos: object[]) => call(`${odd.prefix ?? ""}todo_write`, { todos });

    // G1, G5, D2, S8
    test(`an agent built with ${snippet.title} keeps its list over ${way}, and finds the user's step in it`, async ({
      gateway,
    }) => {
      const model = await Model.start();
      const user = await Socket.open(gateway.runtime);
      const agent = run(snippet, way, gateway, model);
      try {
        await model.answer(write(STORY));
        const before = await model.asked();
        expect(times(before.map(textOf).join("\n"), ADDED)).toBe(0);
        expect(before.map(textOf).join("\n")).toContain(PROMPT);
        // Of some runs their agent's files tell as well, a little later.
        await expect.poll(async () => (await sessions(user)).length, "it is one session").toBe(1);
        const [session] = await sessions(user);
        const name = odd[way] ?? "release-agent";
        expect(session).toMatchObject({ agent: { name }, state: "running" });
        if (way === "stdio")
          expect(session).toMatchObject({ folder: project(gateway.folder), project: "billing" });
        const { sessionId } = session!;
        expect(contents(await todosOf(user, sessionId))).toEqual(contents(STORY));

        await user.ask("todo.add", { sessionId, position: "2", content: ADDED });
        await model.answer(write(NEXT));
        const told = await model.asked();
        expect(since(before, told).join("\n"), "in the very next request").toContain(ADDED);
        const merged = ["Read the format page", ADDED, "Fix the parser", "Add the tests"];
        expect(contents(await todosOf(user, sessionId))).toEqual(merged);

        const done = asSent(await todosOf(user, sessionId)).map((todo) => ({ ...todo, status: "completed" }));
        await model.answer(write(done));
        const last = await model.asked();
        expect(since(told, last).join("\n"), "it is no news any more").not.toMatch(/user added/i);
        await model.answer({ content: LAST_WORDS });
        expect(await agent.end(90)).toBe(0);
        expect(agent.output, "it says what its model said").toContain(LAST_WORDS);

        const todos = await todosOf(user, sessionId);
        expect(todos.map(({ content, status }) => `${status} ${content}`)).toEqual(
          merged.map((content) => `completed ${content}`),
        );
        expect((await sessions(user)).map((one) => one.sessionId)).toEqual([sessionId]);
        if (way === "stdio")
          await expect
            .poll(async () => (await sessions(user)).map(({ state }) => state))
            .toEqual(["finished"]);
      } finally {
        user.close();
        await model.stop();
      }
    });
  }
