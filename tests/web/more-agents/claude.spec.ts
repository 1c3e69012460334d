// Behaviour of Claude Code alone: one process has several sessions, and its subagents work in the background.
import { passed, times } from "../agents/edits.ts";
import { LAST_WORD, Model, textOf } from "../agents/scripted.ts";
import { contents } from "../parts/agent.ts";
import type { DataFolder } from "../parts/gateway.ts";
import { Child } from "../parts/process.ts";
import { Socket } from "../parts/socket.ts";
import { NEXT, STORY } from "../parts/story.ts";
import { claude } from "./agents/claude.ts";
import { AGENTS } from "./agents/index.ts";
import { connected, NOTE, PROMPT, sessions, todosOf, writes } from "./run.ts";
import { project, start } from "./started.ts";
import { expect, test } from "./test.ts";

test.skip(!AGENTS.includes(claude), "SIGHTLINE_AGENTS leaves it out");

/** A process that takes several prompts, one after the other. */
function spoken(folder: DataFolder, model: Model): Child {
  const args = ["-p", "--input-format", "stream-json", ...claude.arguments("").slice(2)];
  const run = new Child("claude", claude.program[0]!, args, {
    cwd: project(folder),
    env: folder.environment(claude.environment(model)),
    stdio: "pipe",
  });
  folder.children.push(run);
  return run;
}

function write(run: Child, message: object): void {
  run.process.stdin?.write(`${JSON.stringify(message)}\n`);
}

function say(run: Child, content: string): void {
  write(run, { type: "user", message: { role: "user", content } });
}

// G5
test("claude that was cleared goes on in a session of its own", async ({ gateway }) => {
  const model = await Model.start();
  const { folder } = gateway;
  await connected(claude, gateway, model);
  const user = await Socket.open(gateway.runtime);
  await user.ask("events.subscribe");
  const run = spoken(folder, model);
  const found = async (): Promise<string[]> => {
    const lists = await sessions(user);
    const shown = lists.map(async ({ sessionId, title, state }) => {
      const todos = await todosOf(user, sessionId);
      return `${title} ${state}: ${todos.map(({ status }) => status).join()}`;
    });
    return (await Promise.all(shown)).sort();
  };
  try {
    say(run, PROMPT);
    await writes(claude, model, STORY);
    await model.answer(LAST_WORD);
    await expect.poll(found).toEqual([`${PROMPT} idle: completed,in_progress,pending`]);
    const { sessionId } = (await sessions(user))[0]!;

    say(run, "/clear");
    await expect.poll(found).toContain(`${PROMPT} finished: completed,in_progress,pending`);
    say(run, "Mend the build.");
    const asked = (await model.asked()).map(textOf).join("\n");
    expect(asked, "it knows nothing of what was before").not.toContain(PROMPT);
    // By the tool server it would be the session that the process began with.
    await writes(claude, model, NEXT);
    await model.asked();
    const next = (await sessions(user)).find((session) => session.sessionId !== sessionId)!;
    expect(next).toMatchObject({ title: "Mend the build.", state: "running" });
    expect(await found()).toEqual(
      [
        `${PROMPT} finished: completed,in_progress,pending`,
        "Mend the build. running: completed,completed,in_progress",
      ].sort(),
    );
    const note = await user.ask("note.send", { sessionId: next.sessionId, text: NOTE });
    await model.answer(claude.other);
    expect((await model.asked()).map(textOf).join("\n")).toContain(NOTE);
    expect(await passed(user, note["editId"], "queued", "delivered")).toMatch(/^hook/);
    await model.answer(LAST_WORD);
    run.process.stdin?.end();
    expect(await run.end(90)).toBe(0);
    await expect
      .poll(async () => (await sessions(user)).map(({ state }) => state))
      .toEqual(["finished", "finished"]);
  } finally {
    user.close();
    await model.stop();
  }
});

// G5
test("claude that the user has stopped rests", async ({ gateway }) => {
  const model = await Model.start();
  const { folder } = gateway;
  await connected(claude, gateway, model);
  const user = await Socket.open(gateway.runtime);
  const run = spoken(folder, model);
  const states = async () => (await sessions(user)).map(({ title, state }) => `${title} ${state}`);
  try {
    say(run, PROMPT);
    await writes(claude, model, STORY);
    await model.asked();
    expect(await states()).toEqual([`${PROMPT} running`]);
    // The Escape of a program: no hook is run, and only the transcript has it.
    write(run, { type: "control_request", request_id: "1", request: { subtype: "interrupt" } });
    await expect.poll(states).toEqual([`${PROMPT} idle`]);
    say(run, "Go on.");
    await expect.poll(states).toEqual([`${PROMPT} running`]);
    model.answerAll();
    await expect.poll(states).toEqual([`${PROMPT} idle`]);
    run.process.stdin?.end();
    expect(await run.end(90)).toBe(0);
  } finally {
    user.close();
    await model.stop();
  }
});

const DONE = STORY.map((todo) => ({ ...todo, status: "completed" }));

for (const [what, list] of Object.entries({ "ends no turn": STORY, "is no prompt when it ends": DONE })) {
  // G5, D5
  test(`a subagent of claude in the background ${what}`, async ({ gateway }) => {
    const task = "Look into the parser.";
    const model = await Model.start();
    const { folder } = gateway;
    await connected(claude, gateway, model);
    const user = await Socket.open(gateway.runtime);
    await user.ask("events.subscribe");
    const run = start(claude, folder, model, PROMPT);
    const own = async () => (await sessions(user)).find(({ title }) => title === PROMPT)!;
    try {
      await writes(claude, model, list);
      await model.answer(claude.delegate!(task));
      await writes(claude, model, [{ content: "Read the lexer" }], task);
      await model.asked(task);
      await model.answer({ content: "It looks into it." }, PROMPT);
      await expect.poll(() => run.output).toContain("It looks into it.");
      const { sessionId } = await own();
      const note = await user.ask("note.send", { sessionId, text: NOTE });
      const asked = await model.asked(task);
      expect(asked.map(textOf).join("\n"), "it is not the subagent's").not.toContain(NOTE);
      await model.answer(LAST_WORD, task);
      const told = (await model.asked(PROMPT)).map(textOf).join("\n");
      expect(told, "what the subagent found").toContain("<task-notification>");
      expect(times(told, NOTE)).toBe(1);
      expect(await passed(user, note["editId"], "queued", "delivered")).toMatch(/^hook/);
      const states = user.seen
        .filter((message) => message.type === "session.updated" && message["sessionId"] === sessionId)
        .map((message) => message["state"]);
      // An agent with a list in which nothing is left is idle once it has been silent for a while.
      if (list === STORY) expect(new Set(states), "it has worked all the time").toEqual(new Set(["running"]));
      expect((await own()).title).toBe(PROMPT);
      // A prompt of the user's would have put a list into the history in which nothing is left.
      expect(contents(await todosOf(user, sessionId))).toEqual(contents(list));
      await model.answer(LAST_WORD, PROMPT);
      expect(await run.end(90)).toBe(0);
      await expect.poll(async () => (await own()).state).toBe("finished");
    } finally {
      user.close();
      await model.stop();
    }
  });
}
