// A real agent that has hooks: what the user changes or notes between two of its steps is in the model's next request.
import { asSent, contents, type Todo } from "../parts/agent.ts";
import { Socket } from "../parts/socket.ts";
import { NEXT, STORY } from "../parts/story.ts";
import { expect, test } from "../parts/test.ts";
import { passed, times } from "./edits.ts";
import { Gemini } from "./gemini.ts";
import { call, LAST_WORD, Model, results, textOf } from "./scripted.ts";

/** The tool's name as this agent makes it from the server's. */
const WRITE = "mcp_sightline_todo_write";

const ADDED = "Ask the customer";
const NOTE = "Use the staging database";

// D2, D5, P11
test("gemini hears with any tool's result what the user changed", async ({ gateway }) => {
  const model = await Model.start();
  const gemini = await Gemini.connected(gateway, model);
  const user = await Socket.open(gateway.runtime);
  await user.ask("events.subscribe");
  const agent = gemini.run("Prepare the release. Keep a list of the steps.");
  try {
    await model.answer(call(WRITE, { todos: STORY }));
    const update = await user.first((message) => message.type === "todo.update");
    const sessionId = update["sessionId"] as string;
    const [written] = results(await model.asked());
    expect(written).toContain("Updated todos: 1/3 complete");
    expect(written, "there was nothing to tell").not.toContain("hook_context");

    const add = await user.ask("todo.add", { sessionId, position: "2", content: ADDED });
    const remove = await user.ask("todo.delete", { sessionId, position: "last" });
    const note = await user.ask("note.send", { sessionId, text: NOTE });
    const edits = [add["editId"], remove["editId"], note["editId"]];
    for (const edit of edits) await passed(user, edit, "queued");

    // With a tool's failure it hands on nothing that a hook adds.
    await model.answer(call("read_file", { file_path: "missing.md" }));
    expect(results(await model.asked()).at(-1)).toContain("File not found");

    await model.answer(call("list_directory", { dir_path: "." }));
    const listed = results(await model.asked()).at(-1);
    expect(listed).toContain("Directory");
    for (const news of [ADDED, "Add the tests", NOTE]) {
      expect(times(listed, news), `told once: ${news}`).toBe(1);
    }
    for (const edit of edits) expect(await passed(user, edit, "queued", "delivered")).toMatch(/^hook/);

    const { todos } = (await user.ask("session.get", { sessionId })) as unknown as { todos: Todo[] };
    await model.answer(call(WRITE, { todos: asSent(todos) }));
    const again = results(await model.asked()).at(-1);
    expect(times(again, ADDED), "it is in the list, and no news").toBe(1);
    for (const old of ["Add the tests", NOTE, "hook_context"]) expect(again).not.toContain(old);
    await passed(user, add["editId"], "queued", "delivered", "reflected");
    await passed(user, remove["editId"], "queued", "delivered", "reflected");
    await passed(user, note["editId"], "queued", "delivered");

    await model.answer(LAST_WORD);
    expect(await agent.end(90)).toBe(0);
    const after = await user.ask("session.get", { sessionId });
    expect(contents(after["todos"] as Todo[])).toEqual(["Read the format page", ADDED, "Fix the parser"]);
  } finally {
    user.close();
    await model.stop();
  }
});

// D5, P11
test("gemini hears with the next prompt what the user noted between two", async ({ gateway }) => {
  const model = await Model.start();
  const gemini = await Gemini.connected(gateway, model);
  const user = await Socket.open(gateway.runtime);
  await user.ask("events.subscribe");
  try {
    const first = gemini.run("Prepare the release. Keep a list of the steps.");
    await model.answer(call(WRITE, { todos: STORY }));
    await model.answer(LAST_WORD);
    expect(await first.end(90)).toBe(0);
    const { sessionId } = await user.first((message) => message.type === "todo.update");
    const note = await user.ask("note.send", { sessionId, text: NOTE });

    const second = gemini.run("Go on.", "--resume", "latest");
    const prompt = textOf((await model.asked()).at(-1));
    expect(prompt).toContain("Go on.");
    expect(times(prompt, NOTE), "told once").toBe(1);
    expect(await passed(user, note["editId"], "queued", "delivered")).toMatch(/^hook/);

    // Its list goes on where it was: the resumed run is another process, of which only its hooks say which run it is.
    await model.answer(call(WRITE, { todos: NEXT }));
    const statuses = (todos: Todo[]): unknown[] => todos.map(({ status }) => status);
    await user.first(
      (m) => m.type === "todo.update" && `${statuses(m["todos"] as Todo[])}` === `${statuses(NEXT)}`,
    );
    const updates = user.seen.filter((message) => message.type === "todo.update");
    expect(new Set(updates.map((update) => update["sessionId"]))).toEqual(new Set([sessionId]));
    await model.answer(LAST_WORD);
    expect(await second.end(90)).toBe(0);
    const { session } = (await user.ask("session.get", { sessionId })) as unknown as {
      session: { title: string; state: string; project?: string };
    };
    expect(session).toMatchObject({
      title: "Prepare the release. Keep a list of the steps.",
      state: "finished",
      project: "project",
    });
  } finally {
    user.close();
    await model.stop();
  }
});
