// The user's edits on their way to the agent, seen in the window, with a real MCP client as the agent.
import { Agent, asSent, contents } from "../parts/agent.ts";
import { Socket } from "../parts/socket.ts";
import { STORY } from "../parts/story.ts";
import { expect, test } from "./test.ts";

const QUEUED = "pending · next call";
// The time is written as the system's language has it, with its day once that is over.
const TOLD = /delivered (\S+ \S+, )?\d?\d:\d\d/;

// P11
test("an edit is queued, told and taken in; one that goes unheeded is insisted on", async ({
  open,
  folder,
}) => {
  const app = await open();
  const agent = await Agent.connect(await folder.gateway(), "window-agent");
  await agent.write(STORY);
  await app.openSession("window-agent");

  await app.add("Ask the customer");
  await app.expectRow(4, QUEUED);
  const merged = await agent.write(STORY);
  expect(contents(merged.todos)).toEqual([...contents(STORY), "Ask the customer"]);
  await app.expectRow(4, TOLD);
  await agent.write(asSent(merged.todos));
  await app.expectRow(4, "applied");

  // Overridden: the agent, once told, decides otherwise; insisted on, it is told again, and taken in.
  await app.expectText("Tell the agent");
  await app.row(3).click();
  await app.press("Space");
  await app.expectRow(3, QUEUED);
  let told = await agent.write(asSent(merged.todos));
  expect(told.text).toContain('set "Add the tests": status in_progress');
  const [first, second, third, fourth] = asSent(told.todos);
  await agent.write([first!, second!, { ...third!, status: "blocked" }, fourth!]);
  await app.expectRow(3, "overridden");
  await app.row(3).$("button*=Send again").click();
  await app.expectRow(3, QUEUED);
  told = await agent.write([first!, second!, { ...third!, status: "blocked" }, fourth!]);
  expect(told.text).toContain("(the user insists on it)");
  await agent.write(asSent(told.todos));
  await app.expectRow(3, "applied");

  // Ignored: two lists go on as before.
  await app.row(1).click();
  await app.press("Enter");
  await app.expectFocus("Text of step 1");
  await app.press("Control+a");
  await app.type("Read it once more");
  await app.expectRow(1, QUEUED);
  const before = asSent(told.todos);
  for (const words of [TOLD, TOLD, "not followed"]) {
    await agent.write(before);
    await app.expectRow(1, words);
  }
  const list = (await agent.read()).todos;
  expect(list[0]!.content, "the user's words stand all the same").toBe("Read it once more");
  await agent.close();
});

test("a line to the agent is queued and told, once", async ({ open, folder }) => {
  const app = await open();
  const agent = await Agent.connect(await folder.gateway(), "window-agent");
  await agent.write(STORY);
  await app.openSession("window-agent");
  const field = app.named("Tell the agent");
  await field.waitForClickable();
  await field.click();
  await app.type("use the staging database");
  await app.expectText("use the staging database");
  await app.expectText(QUEUED);
  const told = await agent.write(STORY);
  expect(told.text).toContain("The user tells you: use the staging database");
  await app.expectText("delivered ");
  expect((await agent.write(STORY)).text).not.toContain("staging");
  await agent.close();
});

// Told again rather than not at all.
test("after a crash between telling and noting it the edit is told again", async ({ open, folder }) => {
  let app = await open();
  const { pid } = await folder.gateway();
  let client = await Socket.open(await folder.gateway());
  const hello = { agent: { agent: { name: "raw-agent" }, ownSession: "run-1" } };
  await client.ask("hello", hello);
  await client.ask("todo.write", { todos: STORY });
  await app.openSession("raw-agent");
  await app.add("Ask the customer");
  await app.expectRow(4, QUEUED);
  const read = await client.ask("todo.read");
  expect(read["edits"], "the agent has it").toMatchObject([{ text: "Ask the customer", state: "queued" }]);
  await app.crash(pid);
  client.close();

  app = await open();
  client = await Socket.open(await folder.gateway());
  await app.openSession("raw-agent");
  await app.expectRow(4, QUEUED);
  await client.ask("hello", hello);
  const again = (await client.ask("todo.read")) as unknown as {
    sessionId: string;
    revision: number;
    edits: { editId: string; text: string }[];
  };
  expect(again.edits.map(({ text }) => text)).toEqual(["Ask the customer"]);
  const { sessionId, revision, edits } = again;
  await client.ask("todo.delivered", { sessionId, revision, edits: edits.map(({ editId }) => editId) });
  await app.expectRow(4, TOLD);
  client.close();
});
