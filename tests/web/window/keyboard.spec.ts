// Everything that one can do to a list, in the real window, with the keyboard alone.
import { Agent, contents } from "../parts/agent.ts";
import { until } from "../parts/process.ts";
import { STORY } from "../parts/story.ts";
import { expect, test } from "./test.ts";

// D5, P3 to P9
test("a list is changed in every way without a mouse, and the agent is told", async ({ open, folder }) => {
  const app = await open();
  const agent = await Agent.connect(await folder.gateway(), "window-agent");
  await agent.write(STORY);
  await app.card("window-agent").waitForExist();
  await until("Tab reaches the card", async () => {
    await app.press("Tab");
    return (await app.focused()).startsWith("window-agent · ");
  });
  await app.press("Enter");
  await app.named("Add a step").waitForExist();
  // On the step in progress.
  await app.press("ArrowDown");
  await app.expectFocus("2");

  // The text of the third.
  await app.press("ArrowDown", "Enter");
  await app.expectFocus("Text of step 3");
  await app.press("Control+a");
  await app.type("Add tests of the parser");
  await app.expectRows(["Read the format page", "Fixing the parser", "Add tests of the parser"]);
  await app.expectFocus("3");
  // Its place.
  await app.press("Alt+ArrowUp");
  await app.expectRows(["Read the format page", "Add tests of the parser", "Fixing the parser"]);
  await app.expectFocus("2");
  // Its status.
  await app.press("Space");
  await app.expectRow(2, "Add");
  await until("it is in progress", async () => (await app.rows())[1]?.status === "in_progress");
  // Its other fields.
  await app.press("i");
  await app.named("Details of step 2").waitForExist();
  await until("Tab reaches its active form", async () => {
    await app.press("Tab");
    return app.browser.execute(() => document.activeElement?.matches("input:not([type=radio])"));
  });
  await app.press("Control+a");
  await app.type("Adding tests of the parser");
  await app.press("Tab");
  await app.type("See the recordings");
  await app.press("Control+Enter");
  await app.press("Escape");
  await app.expectFocus("2");
  await app.expectRow(2, "See the recordings");
  await app.press("p");
  await app.expectRow(2, "high");
  // A step that comes, and one that goes.
  await app.press("o");
  await app.expectFocus("Insert a step at 3");
  await app.type("Ask the customer");
  await app.expectRow(3, "Ask the customer");
  await app.expectFocus("3");
  await app.press("ArrowUp", "ArrowUp");
  await app.expectFocus("1");
  await app.press("Delete");
  await app.expectRows(["Adding tests of the parser", "Ask the customer", "Fixing the parser"]);
  await app.press("Control+z");
  await app.expectRow(1, "Read the format page");
  // The command bar.
  await app.press("/");
  await app.expectFocus("Command");
  await app.type("delete parser");
  await app.expectText("Error: Invalid position");
  await app.press("Control+a");
  await app.type("delete 4");
  await app.expectText('Deleted TODO at 4: "Fix the parser"');
  await app.type("/note ask me before you push");
  await app.expectText('Message pending, delivered on the agent\'s next call: "ask me before you push"');
  await app.press("Escape");

  const told = await agent.write(STORY);
  expect(contents(told.todos)).toEqual([
    "Read the format page",
    "Add tests of the parser",
    "Ask the customer",
  ]);
  expect(told.todos[1]).toMatchObject({
    status: "in_progress",
    activeForm: "Adding tests of the parser",
    notes: "See the recordings",
    priority: "high",
  });
  expect(told.text).toContain("The user tells you: ask me before you push");
  expect(told.text).toContain('removed "Fix the parser"');
  await agent.close();
});
