// Agents under an editor that speaks ACP, with `sightline acp` between them, beside opencode (../agents/acp.spec.ts) and
// Copilot CLI (acp.spec.ts).
import { Model, LAST_WORD, results } from "../agents/scripted.ts";
import { contents } from "../parts/agent.ts";
import { Editor } from "../parts/editor.ts";
import { Socket } from "../parts/socket.ts";
import { STORY } from "../parts/story.ts";
import { AGENTS } from "./agents/index.ts";
import { ADDED, PROMPT, sessions, todosOf } from "./run.ts";
import { project } from "./started.ts";
import { expect, test } from "./test.ts";

for (const agent of AGENTS) {
  const { name, underEditor } = agent;
  if (!underEditor) continue;

  // G5, S11
  test(`${name} under an editor: its list is the plan, and the user's edit comes back to it`, async ({
    folder,
    gateway,
    proves,
  }) => {
    proves(agent, "lists under an editor");
    const model = await Model.start();
    const path = project(folder);
    await agent.prepare?.(folder, model);
    const user = await Socket.open(gateway.runtime);
    const editor = new Editor(folder, underEditor, agent.environment(model), path);
    const states = async (): Promise<string[]> => (await sessions(user)).map(({ state }) => state);
    /** The model's call, once its tools are there: an agent may connect to tool servers while it works. */
    const finds = async (): Promise<void> => {
      for (const answer of agent.before) {
        do await model.answer(answer);
        while (/not found/i.test(results(await model.asked()).at(-1) ?? ""));
      }
    };
    try {
      await editor.initialize();
      editor.allowAll();
      const own = await editor.open(path);
      const turn = editor.prompt(own, PROMPT);
      await finds();
      await model.answer(agent.write({ todos: STORY }));
      const before = await model.asked();
      expect(results(before).at(-1)).toContain("Fix the parser");
      const [session, ...others] = await sessions(user);
      expect(others, "it is one session").toEqual([]);
      expect(session).toMatchObject({ title: PROMPT, agent: { name }, folder: path, state: "running" });
      const { sessionId } = session!;
      expect(contents(await todosOf(user, sessionId))).toEqual(contents(STORY));
      const plan = () => editor.plans.at(-1)?.map(({ content }) => content);
      await expect.poll(plan).toEqual(contents(STORY));

      await user.ask("todo.add", { sessionId, position: "2", content: ADDED });
      await expect.poll(plan, "the editor has the edit at once").toContain(ADDED);
      await model.answer(agent.write({ todos: STORY }));
      expect(results(await model.asked()).at(-1), "and so has the agent").toContain(ADDED);
      await model.answer(LAST_WORD);
      expect(await turn).toBe("end_turn");
      await expect.poll(states, "it is one session, and at rest").toEqual(["idle"]);
      if (agent.outlivesEditor) editor.terminate();
      await editor.end();
      await expect.poll(states).toEqual(["finished"]);
    } finally {
      editor.stop();
      user.close();
      await model.stop();
    }
  });
}
