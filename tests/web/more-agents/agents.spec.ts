// Real agents with their hooks: each run is one session, and the user's edits reach it by the ways that it has.
import { passed, times } from "../agents/edits.ts";
import { LAST_WORD, Model, since, textOf } from "../agents/scripted.ts";
import { asSent, contents, type Todo } from "../parts/agent.ts";
import type { Gateway } from "../parts/gateway.ts";
import type { Child } from "../parts/process.ts";
import { Socket } from "../parts/socket.ts";
import { NEXT, STORY } from "../parts/story.ts";
import { AGENTS } from "./agents/index.ts";
import { ADDED, connected, NOTE, PROMPT, type Session, sessions, todosOf, writes } from "./run.ts";
import { project, start, type Started, type Variant } from "./started.ts";
import { expect, test } from "./test.ts";

const hearing = (way: Started["hears"][number]): Started[] =>
  AGENTS.filter(({ hears }) => hears.includes(way));
const having = (variant: Variant): Started[] => AGENTS.filter(({ variants }) => variants.includes(variant));

for (const agent of hearing("tool")) {
  // G1, G5, D2, D5, P11
  test(`${agent.name}'s list is on the page, and it hears of edits once`, async ({
    sightline,
    gateway,
    page,
    proves,
  }) => {
    proves(agent, "hears with any tool");
    const model = await Model.start();
    const { folder } = gateway;
    await connected(agent, gateway, model);
    const user = await Socket.open(gateway.runtime);
    await user.ask("events.subscribe");
    await sightline.open(gateway.page);
    const run = start(agent, folder, model, PROMPT);
    try {
      await writes(agent, model, STORY);
      const before = await model.asked();
      const card = page.getByRole("article").filter({ hasText: PROMPT });
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
      const todos = await todosOf(user, sessionId);
      await model.answer(agent.write({ todos: asSent(todos) }));
      const written = await model.asked();
      const heard = since(again, written).filter((message) => message.includes("Tag it afterwards"));
      expect(heard, "in the result, of which it hands on what it likes, and nowhere else").toHaveLength(1);
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
      await agent.after?.(folder);
    }
  });
}

for (const agent of having("resumed").filter(({ hears }) => hears.includes("prompt"))) {
  // G5
  test(`a resumed run of ${agent.name} goes on with its session`, async ({ gateway, proves }) => {
    proves(agent, "goes on with its session", "hears with a prompt");
    const model = await Model.start();
    const { folder } = gateway;
    await connected(agent, gateway, model);
    const user = await Socket.open(gateway.runtime);
    await user.ask("events.subscribe");
    const states = async () => (await sessions(user)).map(({ state }) => state);
    try {
      const first = start(agent, folder, model, PROMPT);
      await writes(agent, model, STORY);
      await model.answer(LAST_WORD);
      expect(await first.end(90)).toBe(0);
      await expect.poll(states).toEqual(["finished"]);
      const { sessionId } = (await sessions(user))[0]!;
      const note = await user.ask("note.send", { sessionId, text: NOTE });

      const second = start(agent, folder, model, "Go on.", "resumed");
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
      await agent.after?.(folder);
    }
  });
}

for (const agent of AGENTS) {
  const prompts = ["Prepare the release.", "Mend the build."] as const;
  const steps = prompts.map((prompt) => `Step of ${prompt}`).sort();

  /** Both runs write a list and ask again; gives the lists that there are then, and whether their agents work. */
  async function both(gateway: Gateway, model: Model, user: Socket) {
    const runs: Child[] = [];
    for (const prompt of prompts) {
      runs.push(start(agent, gateway.folder, model, prompt));
      // At its first start an agent may make a database, which a second one would stumble over.
      await model.asked(prompt);
    }
    await Promise.all(
      prompts.map((prompt) => writes(agent, model, [{ content: `Step of ${prompt}` }], prompt)),
    );
    await Promise.all(prompts.map((prompt) => model.asked(prompt)));
    const lists = async (): Promise<string[]> => {
      const shown = (await sessions(user)).map(async ({ sessionId, state }) => {
        const todos = await todosOf(user, sessionId);
        return `${contents(todos).join()} ${state}`;
      });
      // Two sessions that turn out to be one become one meanwhile.
      const found = (await Promise.allSettled(shown)).filter((one) => one.status === "fulfilled");
      return found.map(({ value }) => value).sort();
    };
    return { runs, lists };
  }

  // G5
  test(`two runs of ${agent.name} in one folder at once are two sessions`, async ({ gateway, proves }) => {
    proves(agent, "two runs are two sessions");
    const model = await Model.start();
    await connected(agent, gateway, model);
    const user = await Socket.open(gateway.runtime);
    try {
      const { runs, lists } = await both(gateway, model, user);
      expect(await lists()).toEqual(steps.map((step) => `${step} running`));
      if (agent.hears.includes("prompt"))
        for (const { sessionId, title } of await sessions(user))
          expect(contents(await todosOf(user, sessionId))).toEqual([`Step of ${title}`]);
      await model.answer(LAST_WORD, prompts[0]);
      expect(await runs[0]!.end(90)).toBe(0);
      await expect.poll(lists).toContain(`Step of ${prompts[0]} finished`);
      expect(await lists(), "the other one goes on").toContain(`Step of ${prompts[1]} running`);
      await model.answer(LAST_WORD, prompts[1]);
      expect(await runs[1]!.end(90)).toBe(0);
      await expect.poll(lists).toEqual(steps.map((step) => `${step} finished`));
    } finally {
      user.close();
      await model.stop();
      await agent.after?.(gateway.folder);
    }
  });

  if (!agent.connectOverHttp) continue;
  // G5
  test(`two runs of ${agent.name} over http are two sessions`, async ({ gateway, proves }) => {
    proves(agent, "two runs over http are two sessions");
    const model = await Model.start();
    await connected(agent, gateway, model, "http");
    const user = await Socket.open(gateway.runtime);
    try {
      const { runs, lists } = await both(gateway, model, user);
      // Of some runs their agent's files tell as well, a little later.
      await expect.poll(lists).toEqual(steps.map((step) => `${step} running`));
      for (const prompt of prompts) await model.answer(LAST_WORD, prompt);
      for (const run of runs) expect(await run.end(90)).toBe(0);
      expect((await lists()).map((list) => list.replace(/ \w+$/, ""))).toEqual(steps);
    } finally {
      user.close();
      await model.stop();
      await agent.after?.(gateway.folder);
    }
  });
}

for (const agent of hearing("end")) {
  // D2, D5
  test(`${agent.name} goes on with what the user said while it wrote its last words`, async ({
    gateway,
    proves,
  }) => {
    proves(agent, "hears at the end of a turn");
    const model = await Model.start();
    const { folder } = gateway;
    await connected(agent, gateway, model);
    const user = await Socket.open(gateway.runtime);
    await user.ask("events.subscribe");
    const run = start(agent, folder, model, PROMPT);
    try {
      await writes(agent, model, STORY);
      const before = await model.asked();
      const { sessionId } = (await sessions(user))[0]!;
      const note = await user.ask("note.send", { sessionId, text: NOTE });
      const add = await user.ask("todo.add", { sessionId, position: "2", content: ADDED });
      await model.answer(LAST_WORD);
      const told = await model.asked();
      for (const news of [NOTE, ADDED])
        expect(times(since(before, told).join("\n"), news), `told once: ${news}`).toBe(1);
      for (const edit of [note["editId"], add["editId"]])
        expect(await passed(user, edit, "queued", "delivered")).toMatch(/^hook/);
      expect(
        (await sessions(user)).map(({ state }) => state),
        "it goes on",
      ).toEqual(["running"]);

      // Edits that were told do not keep it from ending, and new ones do.
      if (!agent.goesOnOnce) {
        const late = await user.ask("note.send", { sessionId, text: "Tag it afterwards" });
        await model.answer(LAST_WORD);
        const again = await model.asked();
        expect(since(told, again).join("\n")).toContain("Tag it afterwards");
        expect(since(told, again).join("\n"), "it was told").not.toContain(NOTE);
        expect(await passed(user, late["editId"], "queued", "delivered")).toMatch(/^hook/);
      }
      await model.answer(LAST_WORD);
      expect(await run.end(90)).toBe(0);
      await expect.poll(async () => (await sessions(user)).map(({ state }) => state)).toEqual(["finished"]);
    } finally {
      user.close();
      await model.stop();
      await agent.after?.(folder);
    }
  });
}

for (const agent of having("forked")) {
  // G5
  test(`a fork of a run of ${agent.name} is a session of its own`, async ({ gateway, proves }) => {
    proves(agent, "a fork is a session of its own");
    const model = await Model.start();
    const { folder } = gateway;
    await connected(agent, gateway, model);
    const user = await Socket.open(gateway.runtime);
    try {
      const first = start(agent, folder, model, PROMPT);
      await writes(agent, model, STORY);
      await model.answer(LAST_WORD);
      expect(await first.end(90)).toBe(0);
      const fork = start(agent, folder, model, "Try it otherwise.", "forked");
      const asked = (await model.asked()).map(textOf).join("\n");
      expect(asked, "it knows what was before").toContain(PROMPT);
      const other = [{ content: "Throw the parser away" }];
      await writes(agent, model, other);
      await model.answer(LAST_WORD);
      expect(await fork.end(90)).toBe(0);
      const found = await sessions(user);
      const lists = await Promise.all(found.map(({ sessionId }) => todosOf(user, sessionId)));
      expect(lists.map(contents).sort()).toEqual([contents(STORY), contents(other)].sort());
    } finally {
      user.close();
      await model.stop();
      await agent.after?.(folder);
    }
  });
}

for (const agent of AGENTS) {
  const { delegate } = agent;
  if (!delegate) continue;
  // G5
  test(`a subagent of ${agent.name} has a list of its own`, async ({ gateway, proves }) => {
    proves(agent, "a subagent has its own list");
    const task = "Look into the parser.";
    const model = await Model.start();
    const { folder } = gateway;
    await connected(agent, gateway, model);
    const user = await Socket.open(gateway.runtime);
    start(agent, folder, model, PROMPT);
    try {
      await writes(agent, model, STORY);
      await model.answer(delegate(task));
      await writes(agent, model, [{ content: "Read the lexer" }], task);
      await model.asked(task);
      const found = await sessions(user);
      const lists = await Promise.all(
        found.map(async ({ sessionId, parentSessionId }) => {
          const todos = await todosOf(user, sessionId);
          return { contents: contents(todos), isChild: parentSessionId !== undefined };
        }),
      );
      expect(lists).toContainEqual({ contents: contents(STORY), isChild: false });
      expect(lists).toContainEqual({ contents: ["Read the lexer"], isChild: true });
      expect(lists).toHaveLength(2);
    } finally {
      user.close();
      await model.stop();
      await agent.after?.(folder);
    }
  });
}

for (const agent of having("without hooks")) {
  // D2, D5
  test(`${agent.name} hears with its list's results what its hooks do not tell it`, async ({
    gateway,
    proves,
  }) => {
    proves(agent, "lists without hooks");
    const model = await Model.start();
    const { folder } = gateway;
    await connected(agent, gateway, model);
    const user = await Socket.open(gateway.runtime);
    await user.ask("events.subscribe");
    const run = start(agent, folder, model, PROMPT, "without hooks");
    try {
      await writes(agent, model, STORY);
      await model.asked();
      const [session, ...others] = await sessions(user);
      expect(others).toEqual([]);
      expect(session).toMatchObject({ state: "running", project: "billing" });
      // Claude Code's transcript tells the prompt, before or after its list is there.
      const titles = agent.name === "claude" ? [STORY[0]!.content, PROMPT] : [STORY[0]!.content];
      expect(titles).toContain(session!.title);
      const note = await user.ask("note.send", { sessionId: session!.sessionId, text: NOTE });
      await model.answer(agent.other);
      const before = await model.asked();
      expect(before.map(textOf).join("\n")).not.toContain(NOTE);
      await model.answer(agent.write({ todos: NEXT }));
      const heard = since(before, await model.asked()).filter((message) => message.includes(NOTE));
      expect(heard).toHaveLength(1);
      expect(await passed(user, note["editId"], "queued", "delivered")).not.toMatch(/^hook/);
      await model.answer(LAST_WORD);
      expect(await run.end(90)).toBe(0);
      await expect.poll(async () => (await sessions(user)).map(({ state }) => state)).toEqual(["finished"]);
    } finally {
      user.close();
      await model.stop();
      await agent.after?.(folder);
    }
  });
}
