// The command bar, by keyboard alone, over the real gateway.
import { Agent, contents } from "../parts/agent.ts";
import { STORY } from "../parts/story.ts";
import { expect, test } from "./test.ts";

// P5, P9
test("a line is completed by an item's text, run, seen, told and taken back", async ({
  story,
  agent,
  page,
}) => {
  await story.row("Add the tests").focus();
  await page.keyboard.press("/");
  await expect(story.command).toBeFocused();
  await expect(page.getByRole("option", { name: /^add/ })).toBeVisible();
  await page.keyboard.type("ad");
  await page.keyboard.press("Tab");
  await expect(story.command).toHaveValue("/todo add ");
  await page.keyboard.type("tests");
  await expect(page.getByText("/todo add <position> <description>")).toBeVisible();
  const before = page.getByRole("option", { name: "before “Add the tests”" });
  await expect(before).toBeVisible();
  await page.keyboard.press("ArrowDown");
  await expect(before).toHaveAttribute("aria-selected", "true");
  await expect(story.command).toHaveAttribute("aria-activedescendant", /./);
  await page.keyboard.press("Enter");
  await expect(story.command).toHaveValue("/todo add 3 ");
  await story.run("Ask the customer");
  await expect(story.output).toHaveText('Added TODO at position 3: "Ask the customer"');
  await expect(story.command).toBeFocused();
  await expect(story.command).toHaveValue("");
  await expect(story.row("Ask the customer")).toHaveAttribute("data-position", "3");

  await story.run("undo");
  await expect(story.row("Ask the customer")).toHaveCount(0);
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowUp");
  await expect(story.command).toHaveValue("/todo add 3 Ask the customer");
  await page.keyboard.press("Enter");
  await expect(story.row("Ask the customer")).toHaveCount(1);
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(story.row("Add the tests")).toBeFocused();
  await page.keyboard.press("Control+z");
  await expect(story.row("Ask the customer")).toHaveCount(0);
  await page.keyboard.press("Control+k");
  await story.run("/delete 1");
  await expect(story.output).toHaveText('Deleted TODO at 1: "Read the format page"');
  expect(contents((await agent.write(STORY)).todos)).toEqual(["Fix the parser", "Add the tests"]);
});

// P4, P5, P7, P9
test("lists are printed in place, and an error stands under its line", async ({ story, page }) => {
  await page.keyboard.press("Control+k");
  await story.run("/todo show");
  await expect(story.output).toContainText("Current TODO List:");
  await expect(story.output).toContainText("2. [IN_PROGRESS] Fix the parser");
  await story.run("list");
  await expect(story.output).toContainText("Saved TODO Lists:");
  await expect(story.output).toContainText("[CURRENT SESSION] 3 items");
  await story.run("history");
  await expect(story.output).toContainText("playwright-agent over MCP");

  await story.run("add 9 Too far");
  const alert = page.getByRole("alert");
  await expect(alert).toContainText("Error: Position 9 out of range (1-4)");
  await expect(story.command).toHaveValue("add 9 Too far");
  await expect(story.command).toBeFocused();
  await story.command.fill("add");
  await expect(alert).toHaveCount(0);
  await page.keyboard.press("Enter");
  await expect(alert).toHaveText(/Usage: \/todo add <position> <description>$/);
  await story.command.fill("frobnicate");
  await page.keyboard.press("Enter");
  await expect(alert).toContainText("Unknown subcommand: frobnicate. Use: ");
  await story.command.fill("help");
  await page.keyboard.press("Enter");
  await expect(story.output).toContainText("/todo add <position> <description>");
  await expect(story.rows).toHaveCount(3);
});

test("of several sessions one is chosen first, and the gateway's absence costs no word", async ({
  sightline,
  gateway,
  agent,
  page,
}) => {
  const { port } = gateway.runtime;
  await agent.write(STORY);
  const second = await Agent.connect(gateway.runtime, "second-agent");
  await second.write(STORY);
  await sightline.open(gateway.page);
  await expect(sightline.card("second-agent")).toBeVisible();
  await page.keyboard.press("/");
  await expect(page.getByRole("combobox", { name: "Session", exact: true })).toBeFocused();
  await sightline.run("second");
  await expect(sightline.command).toBeFocused();
  await page.keyboard.type("add last Ask");
  await second.close();

  await gateway.stop();
  await expect(page.getByText(/^The gateway isn’t responding\. Your text/)).toBeVisible();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("alert")).toContainText("Error: ");
  await expect(sightline.command).toHaveValue("add last Ask");
  await gateway.start(port);
  await expect(sightline.connection).toHaveAttribute("data-state", "connected");
  await page.keyboard.type(" them");
  await page.keyboard.press("Enter");
  await expect(sightline.output).toHaveText('Added TODO at position last: "Ask them"');
  await page.keyboard.press("Escape");
  await sightline.openSession("second-agent");
  await expect(sightline.row("Ask them")).toHaveCount(1);
});

// P5, P8
test("where there is no session a step begins a list, which is then handed to an agent", async ({
  sightline,
  gateway,
  page,
}) => {
  await sightline.open(gateway.page);
  await page.keyboard.press("/");
  await expect(sightline.command).toBeFocused();
  await sightline.run("add 1 Ask the customer");
  await expect(sightline.output).toHaveText('Added TODO at position 1: "Ask the customer"');
  await sightline.run("add last Send the invoice");
  await expect(sightline.output).toHaveText('Added TODO at position last: "Send the invoice"');
  await page.keyboard.press("Escape");
  await expect(page.getByRole("article")).toHaveCount(1);
  await expect(page.getByRole("article")).toContainText("Ask the customer");

  const agent = await Agent.connect(gateway.runtime);
  await agent.write(STORY);
  await sightline.openSession("playwright-agent");
  await page.keyboard.press("/");
  await page.keyboard.type("load ");
  await expect(page.getByRole("option", { name: /0 of 2: Ask the customer/ })).toBeVisible();
  await sightline.run("2");
  await expect(sightline.output).toHaveText("Loaded a TODO list of 2 item(s)");
  await page.keyboard.press("Escape");
  await sightline.expectRows(["Ask the customer", "Send the invoice"]);
  const read = await agent.read();
  expect(contents(read.todos)).toEqual(["Ask the customer", "Send the invoice"]);
  expect(read.userChanges[0]).toMatch(/^- loaded another list/);
  await agent.close();
});
