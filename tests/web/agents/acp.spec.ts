// A real agent under an editor that speaks ACP, with `sightline acp` between them: one session, its list in the editor,
// and the user's edits in the agent's next result.
import { contents, type Todo } from "../parts/agent.ts";
import { Editor } from "../parts/editor.ts";
import { Socket } from "../parts/socket.ts";
import { STORY } from "../parts/story.ts";
import { expect, test } from "../parts/test.ts";
import { ENVIRONMENT, OPENCODE, project } from "./opencode.ts";
import { call, LAST_WORD, Model, results } from "./scripted.ts";

test("opencode under an editor: its list is the editor's plan, and the user's edit comes back to it", async ({
  folder,
  gateway,
}) => {
  const model = await Model.start();
  const path = project(folder, model);
  const user = await Socket.open(gateway.runtime);
  await user.ask("events.subscribe");
  const editor = new Editor(folder, [OPENCODE, "acp"], ENVIRONMENT, path);
  try {
    await editor.initialize();
    const own = await editor.open(path);
    const turn = editor.prompt(own, "Prepare the release");
    await model.answer(call("sightline_todo_write", { todos: STORY }));
    const update = await user.first((message) => message.type === "todo.update");
    expect(contents(update["todos"] as Todo[])).toEqual(contents(STORY));
    const sessionId = update["sessionId"] as string;
    const { session } = (await user.ask("session.get", { sessionId })) as unknown as {
      session: Record<string, unknown>;
    };
    expect(session).toMatchObject({
      title: "Prepare the release",
      agent: { name: "opencode" },
      folder: path,
    });
    expect(session).toMatchObject({ state: "running", connected: true });
    await expect.poll(() => editor.plans.at(-1)?.map(({ content }) => content)).toEqual(contents(STORY));

    await model.asked();
    await user.ask("todo.add", { sessionId, position: "2", content: "Ask the customer" });
    const isShown = (): boolean =>
      editor.plans.at(-1)?.some(({ content }) => content === "Ask the customer") ?? false;
    await expect.poll(isShown, "the editor has the edit at once").toBe(true);
    await model.answer(call("sightline_todo_write", { todos: STORY }));
    expect(results(await model.asked()).at(-1), "and so has the agent").toContain("Ask the customer");
    await model.answer(LAST_WORD);
    expect(await turn).toBe("end_turn");
    const at = async (): Promise<unknown> => {
      const { sessions } = (await user.ask("session.list")) as unknown as { sessions: { state: string }[] };
      return sessions.map(({ state }) => state);
    };
    await expect.poll(at, "it is one session, and at rest").toEqual(["idle"]);
    expect(await editor.end()).toBe(0);
    await expect.poll(at).toEqual(["finished"]);
  } finally {
    editor.stop();
    user.close();
    await model.stop();
  }
});
