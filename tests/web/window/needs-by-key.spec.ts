// The queue of what needs the user, in the real window with the keyboard alone: each is settled where it stands.
import { Agent, type Todo } from "../parts/agent.ts";
import type { Runtime } from "../parts/gateway.ts";
import { Socket } from "../parts/socket.ts";
import { expectAt, expectFocusOn, tabTo } from "./focus.ts";
import { queue, toQueue } from "./queue.ts";
import { expect, test } from "./test.ts";

/** An agent that goes against an edit of the user: it writes `answers` once it was told. */
async function against(runtime: Runtime, user: Socket, name: string, answers: Todo[][]): Promise<Agent> {
  const agent = await Agent.connect(runtime, name);
  const { sessionId } = await agent.write([{ content: `Work of ${name}`, status: "pending" }]);
  await user.ask("todo.edit", { sessionId, position: "1", status: "skipped" });
  await agent.read();
  for (const answer of answers) await agent.write(answer);
  return agent;
}

test("a blocked step is opened, unblocked, skipped and let be", async ({ open, folder }) => {
  const app = await open();
  const agent = await Agent.connect(await folder.gateway(), "builder");
  const blocked = ["Upgrade the cluster", "Rotate the keys", "Move the data"];
  await agent.write(blocked.map((content) => ({ content, status: "blocked" })));
  await toQueue(app, "builder");
  await queue(app, blocked);
  await app.press("j", "j");
  await expectFocusOn(app, /^Open step: builder/, "button");
  await app.press("Enter");
  await expectAt(app, /^#\/session\//);
  await app.expectFocus("2");

  await app.press("g e");
  await queue(app, blocked);
  await app.press("ArrowDown");
  await tabTo(app, /^Unblock: /);
  await app.press("Enter");
  await queue(app, blocked.slice(1));
  await app.expectText("“Upgrade the cluster” is no longer blocked.");
  // Whoever settles one goes on with the next.
  await expectFocusOn(app, /^Open step: builder/, "button");
  await tabTo(app, /^Skip: /);
  await app.press("Enter");
  await queue(app, blocked.slice(2));
  await expectFocusOn(app, /^Open step: builder/, "button");
  await app.press("x");
  await app.expectText("All clear");
  await expectFocusOn(app, "Needs you", "heading");
  await tabTo(app, "Undo");
  await app.press("Enter");
  await queue(app, blocked.slice(2));
  const { todos } = await agent.read();
  expect(todos.map(({ status }) => status)).toEqual(["pending", "skipped", "blocked"]);
  await agent.close();
});

test("what went against an edit is insisted on, or let be", async ({ open, folder }) => {
  const app = await open();
  const runtime = await folder.gateway();
  const user = await Socket.open(runtime);
  const done = [{ content: "Work of decider", status: "completed" }];
  const decider = await against(runtime, user, "decider", [done]);
  const same = [{ content: "Work of deaf", status: "pending" }];
  const deaf = await against(runtime, user, "deaf", [same, same, same]);
  await toQueue(app, "deaf");
  await queue(app, ["decider changed it back", "deaf received it, but hasn’t followed it"]);
  await app.press("k");
  await expectFocusOn(app, /^Send again: deaf/, "button");
  await tabTo(app, /^Dismiss: deaf/);
  await app.press("Space");
  await queue(app, ["decider"]);
  await expectFocusOn(app, /^Send again: decider/, "button");
  await app.press("Enter");
  await app.expectText("All clear");
  const told = await decider.write(done);
  expect(told.todos[0]?.status, "the user has insisted").toBe("skipped");
  user.close();
  await decider.close();
  await deaf.close();
});
