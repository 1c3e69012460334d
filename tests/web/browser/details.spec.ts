// Every field of a step that a person may change, and a step that has vanished meanwhile.
import { Agent, asSent, contents, type Todo } from "../parts/agent.ts";
import { STORY } from "../parts/story.ts";
import { select } from "./page.ts";
import { expect, test } from "./test.ts";

// D5, P11
test("priority, active form and notes are changed by keyboard, and the agent hears it", async ({
  story,
  agent,
  socket,
  page,
}) => {
  const parser = story.rows.nth(1);
  await parser.focus();
  await page.keyboard.press("ArrowRight");
  await expect(story.details(2)).toContainText("Added by playwright-agent over MCP");
  await page.keyboard.press("ArrowRight");
  await expect(story.details(2).getByRole("radio", { name: "none", exact: true })).toBeFocused();
  await page.keyboard.press("ArrowLeft");
  await expect(parser).toContainText("high");

  await page.keyboard.press("Tab");
  await expect(story.details(2).getByLabel("Active form")).toBeFocused();
  await page.keyboard.press("Control+a");
  await page.keyboard.type("Mending the parser");
  await page.keyboard.press("Enter");
  await expect(parser).toContainText("Mending the parser");

  await page.keyboard.press("Tab");
  await expect(story.details(2).getByLabel("Notes")).toBeFocused();
  await page.keyboard.type("See the recordings");
  await page.keyboard.press("Control+Enter");
  const sessionId = page.url().split("/").at(-1);
  const notes = async (): Promise<unknown> =>
    ((await socket.ask("session.get", { sessionId })).todos as (Todo & { notes?: string })[])[1]?.notes;
  await expect.poll(notes).toBe("See the recordings");
  await expect(parser).toContainText("pending · next call");
  await expect(story.details(2)).toContainText("Changed by you in the browser");

  const told = await agent.write(STORY);
  expect(told.todos[1]).toMatchObject({
    priority: "high",
    activeForm: "Mending the parser",
    notes: "See the recordings",
  });
  await expect(parser).toContainText(/delivered \d/);
  await page.keyboard.press("Escape");
  await expect(story.details(2)).toHaveCount(0);
  await expect(parser).toBeFocused();
  await page.keyboard.press("p");
  await expect(parser).not.toContainText("high");
  await page.keyboard.press("Control+z");
  await expect(parser).toContainText("high");
});

test("the mouse opens details and changes them, and they open without a jump", async ({ story, page }) => {
  const tests = story.row("Add the tests");
  await tests.hover();
  const before = await tests.boundingBox();
  await page.getByRole("button", { name: "Details of step 3", exact: true }).click();
  const details = story.details(3);
  await expect(details).toContainText("Added by playwright-agent over MCP");
  expect((await tests.boundingBox())?.y).toBe(before?.y);
  await details.getByText("low", { exact: true }).click();
  await expect(tests.getByText("low", { exact: true }).first()).toBeVisible();
  await expect(details.getByRole("radio", { name: "low", exact: true })).toBeChecked();
  await details.getByLabel("Notes").fill("Two lines\nof notes");
  await page.getByRole("heading", { level: 1 }).click();
  await expect(details).toContainText("Changed by you in the browser");
  await page.getByRole("button", { name: "Details of step 3", exact: true }).click();
  await expect(details).toHaveCount(0);
  await expect(tests).toContainText("Two lines");
});

// Several at once: an item that has just vanished says so and can be brought back.
test("a step that vanishes under somebody's hands comes back with his words", async ({
  story,
  agent,
  page,
}) => {
  await story.row("Add the tests").focus();
  await page.keyboard.press("Enter");
  await page.keyboard.type("Add tests of the parser");
  await agent.write(STORY.slice(0, 2));
  const gone = story.rows.nth(2);
  await expect(gone.getByRole("alert")).toContainText(/playwright-agent over MCP removed this step/);
  const field = page.getByLabel("Text of step 3", { exact: true });
  await expect(field).toBeFocused();
  await expect(field).toHaveValue("Add tests of the parser");
  await page.keyboard.press("Enter");
  await expect(field).toHaveCount(0);
  await story.expectRows(["Read the format page", "Fixing the parser", "Add tests of the parser"]);
  await expect(gone).toBeFocused();
  const told = await agent.write(STORY.slice(0, 2));
  expect(told.text).toContain("Add tests of the parser");
});

// Delivery, in words, from the list to the card.
test("an edit is queued, told and taken, on its row and on its card", async ({ story, agent, page }) => {
  const parser = story.rows.nth(1);
  await parser.focus();
  await page.keyboard.press("Space");
  await expect(parser).toContainText("pending · next call");
  await expect(page.getByText(/^1 pending, delivered on its next call · last call /)).toBeVisible();
  await expect(page.getByText(/r\d+ by you in the browser/)).toBeVisible();
  const now = page.getByRole("link", { name: "Now", exact: true });
  await now.click();
  await expect(page.getByRole("article")).toContainText("1 pending");

  const told = await agent.write(STORY);
  await expect(page.getByRole("article")).toContainText("1 delivered");
  await agent.write(asSent(told.todos));
  await expect(page.getByRole("article")).toContainText("1 edit applied");
  await story.openSession("playwright-agent");
  await expect(parser).toContainText("applied");
  await expect(page.getByText(/r\d+ by playwright-agent over MCP/)).toBeVisible();

  await parser.focus();
  await page.keyboard.press("Space");
  await expect(parser).toHaveAttribute("data-status", "pending");
  const [first, second, third] = STORY;
  await agent.write([first!, { ...second!, status: "blocked" }, third!]);
  await expect(parser).toContainText("overridden");
  await now.click();
  await expect(page.getByRole("article")).toContainText("1 overridden");
});

// K4
test("a step is assigned to one of two agents of a label, and each is told only of its own", async ({
  sightline,
  gateway,
  page,
}) => {
  const one = await Agent.connect(gateway.runtime, "codex", "api");
  const two = await Agent.connect(gateway.runtime, "codex", "api");
  await one.write(STORY);
  await two.write(STORY);
  await sightline.open(gateway.page);
  await sightline.openSession("codex");
  const tests = sightline.row("Add the tests");
  await tests.focus();
  await page.keyboard.press("ArrowRight");
  const owner = sightline.details(3).getByLabel("Assigned to", { exact: true });
  await expect(owner).toContainText("Any agent");
  await select(owner, "codex 2");
  await expect(owner).toContainText("codex 2");
  await page.keyboard.press("Escape");
  await expect(tests).toContainText("codex 2");

  const first = await one.read();
  expect(contents(first.todos)).toEqual(["Read the format page", "Fix the parser"]);
  expect(first.text).not.toContain("Add the tests");
  const second = await two.read();
  expect(contents(second.todos)).toEqual(contents(STORY));
  expect(second.text).toContain('assigned "Add the tests" to you');
  await expect(tests).toContainText(/delivered \d/);

  await page.getByRole("button", { name: "Details of step 3", exact: true }).click();
  await select(owner, "Any agent");
  await expect(owner).toContainText("Any agent");
  expect(contents((await one.read()).todos)).toEqual(contents(STORY));
  await one.close();
  await two.close();
});
