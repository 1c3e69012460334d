// Real agents that are too big to install for every run: `cargo xtask test --agents`.
import { connect } from "../agents/connect.ts";
import { passed, times } from "../agents/edits.ts";
import { call, LAST_WORD, Model, since, textOf } from "../agents/scripted.ts";
import { expect, test } from "../browser/test.ts";
import { asSent, contents, type Todo } from "../parts/agent.ts";
import { Socket } from "../parts/socket.ts";
import { NEXT, STORY } from "../parts/story.ts";
import { AGENTS, project, type Started } from "./agents.ts";

const PROMPT = "Prepare the release. Keep a list of the steps.";
const ADDED = "Ask the customer";
const NOTE = "Use the staging database";

interface Session {
  sessionId: string;
  title: string;
  state: string;
  parentSessionId?: string;
  folder?: string;
  project?: string;
  revision: number;
  agent: { name: string };
}

async function sessions(user: Socket): Promise<Session[]> {
  return (await user.ask("session.list"))["sessions"] as Session[];
}

/** The model writes a first list. */
async function writes(agent: Started, model: Model, todos: Todo[]): Promise<void> {
  for (const answer of agent.before) await model.answer(answer);
  await model.answer(call(agent.write, { todos }));
}

for (const agent of AGENTS) {
  // G1, G5, D2, D5, P11
  test(`${agent.name}'s list is on the page, and it hears of edits once`, async ({
    sightline,
    gateway,
    page,
  }) => {
    const model = await Model.start();
    const { folder } = gateway;
    await connect(agent.name, folder);
    const user = await Socket.open(gateway.runtime);
    await user.ask("events.subscribe");
    await sightline.open(gateway.page);
    const run = agent.run(folder, model, PROMPT);
    try {
      await writes(agent, model, STORY);
      const before = await model.asked();
      const card = page.getByRole("article").filter({ hasText: `${agent.name} · ${PROMPT}` });
      await expect(card).toHaveCount(1);
      await card.getByRole("link").click();
      await sightline.expectRows(["Read the format page", "Fixing the parser", "Add the tests"]);
      const [session, ...others] = await sessions(user);
      expect(others, "it is one session").toEqual([]);
      expect(session).toMatchObject({ agent: { name: agent.name }, title: PROMPT, state: "running" });
      expect(session).toMatchObject({ folder: project(folder), project: "billing" });
      const { sessionId } = session!;

      const add = await user.ask("todo.add", { sessionId, position: "2", content: ADDED });
      const remove = await user.ask("todo.delete", { sessionId, position: "last" });
      const note = await user.ask("note.send", { sessionId, text: NOTE });
      const edits = [add["editId"], remove["editId"], note["editId"]];
      await model.answer(agent.other);
      const told = await model.asked();
      for (const news of [ADDED, "Add the tests", NOTE]) {
        expect(times(since(before, told).join("\n"), news), `told once: ${news}`).toBe(1);
      }
      for (const edit of edits) expect(await passed(user, edit, "queued", "delivered")).toMatch(/^hook/);
      await model.answer(agent.other);
      const again = await model.asked();
      for (const old of [ADDED, "Add the tests", NOTE]) {
        expect(times(since(told, again).join("\n"), old), `told, and no more news: ${old}`).toBe(0);
      }

      // With a result of our own tool it is told there, and not by the hook as well.
      const late = await user.ask("note.send", { sessionId, text: "Tag it afterwards" });
      const { todos } = (await user.ask("session.get", { sessionId })) as unknown as { todos: Todo[] };
      await model.answer(call(agent.write, { todos: asSent(todos) }));
      const written = await model.asked();
      const heard = since(again, written).filter((message) => message.includes("Tag it afterwards"));
      expect(heard, "in the result, of which these agents hand on all parts, and nowhere else").toHaveLength(
        1,
      );
      expect(await passed(user, late["editId"], "queued", "delivered")).not.toMatch(/^hook/);
      await passed(user, add["editId"], "queued", "delivered", "reflected");
      await passed(user, remove["editId"], "queued", "delivered", "reflected");

      await model.answer(LAST_WORD);
      expect(await run.end(90)).toBe(0);
      await sightline.expectRows(["Read the format page", ADDED, "Fixing the parser"]);
      await expect.poll(async () => (await sessions(user)).map(({ state }) => state)).toEqual(["finished"]);
      await expect(page.getByText("finished just now").first()).toBeVisible();
    } finally {
      user.close();
      await model.stop();
    }
  });

  // G5
  test(`a resumed run of ${agent.name} goes on with its session`, async ({ gateway }) => {
    const model = await Model.start();
    const { folder } = gateway;
    await connect(agent.name, folder);
    const user = await Socket.open(gateway.runtime);
    await user.ask("events.subscribe");
    const states = async () => (await sessions(user)).map(({ state }) => state);
    try {
      const first = agent.run(folder, model, PROMPT);
      await writes(agent, model, STORY);
      await model.answer(LAST_WORD);
      expect(await first.end(90)).toBe(0);
      await expect.poll(states).toEqual(["finished"]);
      const { sessionId } = (await sessions(user))[0]!;
      const note = await user.ask("note.send", { sessionId, text: NOTE });

      const second = agent.run(folder, model, "Go on.", "resumed");
      const asked = (await model.asked()).map(textOf).join("\n");
      expect(asked, "it knows what was before").toContain(PROMPT);
      expect(times(asked, NOTE), "told once, with the prompt").toBe(1);
      expect(await passed(user, note["editId"], "queued", "delivered")).toMatch(/^hook/);
      await expect.poll(states, "it is the same one").toEqual(["running"]);
      await writes(agent, model, NEXT);
      await model.answer(LAST_WORD);
      expect(await second.end(90)).toBe(0);
      await expect.poll(states).toEqual(["finished"]);
      const after = (await user.ask("session.get", { sessionId })) as unknown as {
        session: Session;
        todos: Todo[];
      };
      expect(after.todos.map(({ status }) => status)).toEqual(NEXT.map(({ status }) => status));
      expect(after.session.title).toBe(PROMPT);
    } finally {
      user.close();
      await model.stop();
    }
  });

  // G5
  test(`two runs of ${agent.name} in one folder at once are two sessions`, async ({ gateway }) => {
    const models = [await Model.start(), await Model.start()];
    const { folder } = gateway;
    await connect(agent.name, folder);
    const user = await Socket.open(gateway.runtime);
    try {
      const prompts = ["Prepare the release.", "Mend the build."];
      const runs = models.map((model, at) => agent.run(folder, model, prompts[at]!));
      await Promise.all(models.map((model) => model.asked()));
      await Promise.all(
        models.map((model, at) => writes(agent, model, [{ content: `Step of ${prompts[at]}` }])),
      );
      await Promise.all(models.map((model) => model.asked()));
      const found = await sessions(user);
      expect(found.map(({ title, state }) => `${title} ${state}`).sort()).toEqual(
        prompts.map((prompt) => `${prompt} running`).sort(),
      );
      for (const { sessionId, title } of found) {
        const { todos } = (await user.ask("session.get", { sessionId })) as unknown as { todos: Todo[] };
        expect(contents(todos)).toEqual([`Step of ${title}`]);
      }
      await models[0]!.answer(LAST_WORD);
      expect(await runs[0]!.end(90)).toBe(0);
      const states = async () => new Map((await sessions(user)).map(({ title, state }) => [title, state]));
      await expect.poll(async () => (await states()).get(prompts[0]!)).toBe("finished");
      expect((await states()).get(prompts[1]!), "the other one goes on").toBe("running");
      await models[1]!.answer(LAST_WORD);
      expect(await runs[1]!.end(90)).toBe(0);
    } finally {
      user.close();
      for (const model of models) await model.stop();
    }
  });
}

// G5
for (const agent of AGENTS) {
  test(`a subagent of ${agent.name} has a list of its own`, async ({ gateway }) => {
    const task = "Look into the parser.";
    const model = await Model.start();
    const { folder } = gateway;
    await connect(agent.name, folder);
    const user = await Socket.open(gateway.runtime);
    agent.run(folder, model, PROMPT);
    try {
      await writes(agent, model, STORY);
      await model.answer(agent.delegate(task));
      for (const answer of agent.before) await model.answer(answer, task);
      await model.answer(call(agent.write, { todos: [{ content: "Read the lexer" }] }), task);
      await model.asked(task);
      const found = await sessions(user);
      const lists = await Promise.all(
        found.map(async ({ sessionId, parentSessionId }) => {
          const { todos } = (await user.ask("session.get", { sessionId })) as unknown as { todos: Todo[] };
          return { contents: contents(todos), isChild: parentSessionId !== undefined };
        }),
      );
      expect(lists).toContainEqual({ contents: contents(STORY), isChild: false });
      expect(lists).toContainEqual({ contents: ["Read the lexer"], isChild: true });
      expect(lists).toHaveLength(2);
    } finally {
      user.close();
      await model.stop();
    }
  });
}

// D2, D5
test("codex hears with its list's results what its untrusted hooks do not tell it", async ({ gateway }) => {
  const agent = AGENTS.find(({ name }) => name === "codex")!;
  const model = await Model.start();
  const { folder } = gateway;
  await connect(agent.name, folder);
  const user = await Socket.open(gateway.runtime);
  await user.ask("events.subscribe");
  const run = agent.run(folder, model, PROMPT, "without hooks");
  try {
    await writes(agent, model, STORY);
    await model.asked();
    const [session, ...others] = await sessions(user);
    expect(others).toEqual([]);
    expect(session).toMatchObject({ title: STORY[0]!.content, state: "running", project: "billing" });
    const note = await user.ask("note.send", { sessionId: session!.sessionId, text: NOTE });
    await model.answer(agent.other);
    const before = await model.asked();
    expect(before.map(textOf).join("\n")).not.toContain(NOTE);
    await model.answer(call(agent.write, { todos: NEXT }));
    const heard = since(before, await model.asked()).filter((message) => message.includes(NOTE));
    expect(heard).toHaveLength(1);
    expect(await passed(user, note["editId"], "queued", "delivered")).not.toMatch(/^hook/);
    await model.answer(LAST_WORD);
    expect(await run.end(90)).toBe(0);
    await expect.poll(async () => (await sessions(user)).map(({ state }) => state)).toEqual(["finished"]);
  } finally {
    user.close();
    await model.stop();
  }
});
