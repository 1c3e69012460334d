// Three lists of every agent, over both ways to our server, with a step of the user's between two of them.
import { times } from "../agents/edits.ts";
import { LAST_WORD, Model, since, textOf } from "../agents/scripted.ts";
import { asSent, contents } from "../parts/agent.ts";
import { Socket } from "../parts/socket.ts";
import { NEXT, STORY } from "../parts/story.ts";
import { AGENTS } from "./agents/index.ts";
import { ADDED, connected, PROMPT, sessions, todosOf, writes } from "./run.ts";
import { project, start, type Way } from "./started.ts";
import { expect, test } from "./test.ts";

for (const agent of AGENTS) {
  const ways: Way[] = agent.connectOverHttp ? ["stdio", "http"] : ["stdio"];
  for (const way of ways) {
    // G1, G5, D2, D5, P11
    test(`${agent.name} keeps its list over ${way}, and finds the user's step in it`, async ({
      gateway,
      proves,
    }) => {
      proves(agent, `lists over ${way}`);
      const { folder } = gateway;
      const model = await Model.start();
      await connected(agent, gateway, model, way);
      const user = await Socket.open(gateway.runtime);
      const run = start(agent, folder, model, PROMPT);
      try {
        await writes(agent, model, STORY);
        const before = await model.asked();
        expect(times(before.map(textOf).join("\n"), ADDED)).toBe(0);
        // Of some runs their agent's files tell as well, a little later.
        await expect.poll(async () => (await sessions(user)).length, "it is one session").toBe(1);
        const [session] = await sessions(user);
        expect(session).toMatchObject({ agent: { name: agent.name }, state: "running" });
        if (way === "stdio" || agent.tellsFolderOverHttp)
          expect(session).toMatchObject({ folder: project(folder), project: "billing" });
        const { sessionId } = session!;
        expect(contents(await todosOf(user, sessionId))).toEqual(contents(STORY));

        await user.ask("todo.add", { sessionId, position: "2", content: ADDED });
        await model.answer(agent.write({ todos: NEXT }));
        const told = await model.asked();
        expect(since(before, told).join("\n"), "in the very next request").toContain(ADDED);
        const merged = ["Read the format page", ADDED, "Fix the parser", "Add the tests"];
        expect(contents(await todosOf(user, sessionId))).toEqual(merged);

        const done = asSent(await todosOf(user, sessionId)).map((todo) => ({
          ...todo,
          status: "completed",
        }));
        await model.answer(agent.write({ todos: done }));
        const last = await model.asked();
        expect(since(told, last).join("\n"), "it is no news any more").not.toMatch(/user added/i);
        await model.answer(LAST_WORD);
        expect(await run.end(90)).toBe(0);

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
        await agent.after?.(folder);
      }
    });
  }
}
