// The window and every other way in, at the same moment on the same list.
import { Agent, asSent } from "../parts/agent.ts";
import { SIGHTLINE } from "../parts/gateway.ts";
import { Socket } from "../parts/socket.ts";
import { until } from "../parts/process.ts";
import { STORY } from "../parts/story.ts";
import { expect, test } from "./test.ts";

interface Got {
  revision: number;
  todos: { uid: string; content: string }[];
}

// Several at once: one order, the same everywhere, nothing lost.
test("the window and another at the same moment lose nothing and see the same", async ({ open, folder }) => {
  const app = await open();
  const runtime = await folder.gateway();
  const agent = await Agent.connect(runtime, "window-agent");
  const { sessionId, todos } = await agent.write(STORY);
  await app.openSession("window-agent");
  const socket = await Socket.open(runtime);
  await socket.ask("events.subscribe");
  let sent = asSent(todos);
  const others: Record<string, (content: string) => Promise<unknown>> = {
    websocket: (content) => socket.ask("todo.add", { sessionId, content, position: "2" }),
    command: (content) => socket.ask("todo.command", { sessionId, line: `/todo add 1 ${content}` }),
    terminal: async (content) => {
      const args = ["todo", "--session", sessionId, "--data-dir", folder.path, "add", "last", content];
      expect(await folder.spawn("sightline todo", SIGHTLINE, args).end()).toBe(0);
    },
    agent: (content) => {
      sent = [...sent, { content }];
      return agent.write(sent);
    },
  };
  const added: string[] = [];
  for (const [name, add] of Object.entries(others)) {
    const rounds = ["a", "b", "c"];
    for (const round of rounds) {
      const own = `window ${name} ${round}`;
      const theirs = `${name} ${round}`;
      added.push(own, theirs);
      await Promise.all([
        app.invoke("todo_add", { sessionId, position: "2", content: own }),
        app.invoke("todo_edit", { sessionId, position: "1", notes: own }),
        add(theirs),
      ]);
    }
  }
  const known = (await socket.ask("session.get", { sessionId })) as unknown as Got;
  const all = known.todos.map(({ content }) => content);
  for (const content of [...added, ...STORY.map((todo) => todo.content)]) {
    expect(
      all.filter((one) => one === content),
      `${content} is there once`,
    ).toHaveLength(1);
  }
  expect(new Set(known.todos.map(({ uid }) => uid)).size).toBe(known.todos.length);
  // The step in progress shows its active form.
  await app.expectRows(all.map((content) => (content === "Fix the parser" ? "Fixing the parser" : content)));
  const last = await socket.first((m) => m.type === "todo.update" && m["revision"] === known.revision);
  expect((last["todos"] as Got["todos"]).map(({ content }) => content)).toEqual(all);
  const updates = socket.seen.filter((m) => m.type === "todo.update").map((m) => m["revision"] as number);
  expect(updates, "no update comes after a later one").toEqual(updates.toSorted((a, b) => a - b));
  await until("the agent hears of all of them", async () => {
    const { userChanges } = await agent.read();
    return userChanges.length === 0;
  });
  socket.close();
  await agent.close();
});
