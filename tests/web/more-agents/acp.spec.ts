// Agents under an editor that speaks ACP, beside opencode (../agents/acp.spec.ts): those that take tool servers over HTTP only.
import { call, LAST_WORD, Model } from "../agents/scripted.ts";
import { contents, type Todo } from "../parts/agent.ts";
import { Editor } from "../parts/editor.ts";
import { Socket } from "../parts/socket.ts";
import { STORY } from "../parts/story.ts";
import { copilot } from "./agents/copilot.ts";
import { AGENTS } from "./agents/index.ts";
import { project } from "./started.ts";
import { expect, test } from "./test.ts";

interface Need {
  kind: string;
  text: string;
}

if (AGENTS.includes(copilot)) {
  test("copilot under an editor: its list is the plan, and what it asks for is a need until it is answered", async ({
    folder,
    gateway,
    proves,
  }) => {
    proves(copilot, "lists under an editor");
    const model = await Model.start();
    const path = project(folder);
    const user = await Socket.open(gateway.runtime);
    await user.ask("events.subscribe");
    const needs = async (): Promise<Need[]> => {
      const { sessions } = (await user.ask("session.list")) as unknown as { sessions: { needs?: Need[] }[] };
      return sessions.flatMap((session) => session.needs ?? []);
    };
    const editor = new Editor(folder, [...copilot.program, "--acp"], copilot.environment(model), path);
    try {
      await editor.initialize();
      const own = await editor.open(path);
      const turn = editor.prompt(own, "Prepare the release");
      await model.answer(call("sightline-todo_write", { todos: STORY }));
      editor.allow(await editor.asked(/todo/));
      const update = await user.first((message) => message.type === "todo.update");
      expect(contents(update["todos"] as Todo[])).toEqual(contents(STORY));
      const { session } = (await user.ask("session.get", { sessionId: update["sessionId"] })) as unknown as {
        session: Record<string, unknown>;
      };
      expect(session).toMatchObject({
        title: "Prepare the release",
        agent: { name: "copilot" },
        folder: path,
      });
      await expect.poll(() => editor.plans.at(-1)?.map(({ content }) => content)).toEqual(contents(STORY));

      await model.answer(call("bash", { command: "echo hi", description: "Says hi", mode: "sync" }));
      const question = await editor.asked(/echo hi/);
      await expect.poll(needs).toMatchObject([{ kind: "permission", text: "execute: echo hi" }]);
      editor.allow(question);
      await model.asked();
      await expect.poll(needs).toEqual([]);
      await model.answer(LAST_WORD);
      expect(await turn).toBe("end_turn");
      expect(await editor.end()).toBe(0);
    } finally {
      editor.stop();
      user.close();
      await model.stop();
    }
  });
}
