// The user's edits on a session's page, and how the agent hears and follows them.
import type { Page } from "@playwright/test";
import { contents } from "../parts/agent.ts";
import { STORY } from "../parts/story.ts";
import { expect, test } from "./test.ts";

const LONG = "A very long word: ".padEnd(2000, "abcdefghij");

async function overflows(page: Page): Promise<boolean> {
  return page.evaluate(() =>
    [...document.querySelectorAll("main, main > *, [data-uid]")].some(
      (part) => part.scrollWidth > part.clientWidth,
    ),
  );
}

// D5, P4, P9
test("status, text and place of a step are changed by keyboard, and the agent hears it", async ({
  story,
  agent,
  page,
}) => {
  const tests = story.row("Add");
  await tests.focus();
  await page.keyboard.press("Enter");
  await expect(page.getByLabel("Text of step 3", { exact: true })).toBeFocused();
  await page.keyboard.type("Add tests of the parser");
  await page.keyboard.press("Enter");
  await expect(tests).toContainText("Add tests of the parser");
  await expect(tests).toBeFocused();
  await expect(tests).toContainText("pending · next call");

  await page.keyboard.press("Alt+ArrowUp");
  await story.expectRows(["Read the format page", "Add tests of the parser", "Fixing the parser"]);
  await expect(tests).toBeFocused();
  await page.keyboard.press("Alt+ArrowUp");
  await story.expectRows(["Add tests of the parser", "Read the format page", "Fixing the parser"]);
  await expect(tests).toBeFocused();
  await page.keyboard.press("Alt+ArrowUp");
  await page.keyboard.press("Control+z");
  await story.expectRows(["Read the format page", "Add tests of the parser", "Fixing the parser"]);
  await expect(tests).toBeFocused();

  const read = story.row("Read the format page");
  await read.focus();
  await page.keyboard.press("Space");
  await expect(read, "after completed comes to do").toHaveAttribute("data-status", "pending");

  const told = await agent.write(STORY);
  expect(contents(told.todos)).toEqual(["Read the format page", "Add tests of the parser", "Fix the parser"]);
  expect(told.todos[0]?.status).toBe("pending");
  expect(told.text).toContain("Add tests of the parser");
  await expect(tests).toContainText(/delivered \d/);
});

// D5: the mouse does what the keys do.
test("a click changes a status, a double click opens a text, and both are undone", async ({
  story,
  agent,
  page,
}) => {
  const tests = story.row("Add the tests");
  await page
    .getByRole("button", { name: "Status of “Add the tests”: to do. Change to in progress", exact: true })
    .click();
  await expect(story.rows.nth(2)).toHaveAttribute("data-status", "in_progress");
  await page.getByText("Fixing the parser", { exact: true }).last().dblclick();
  const field = page.getByLabel("Text of step 2", { exact: true });
  await expect(field).toHaveValue("Fix the parser");
  await field.fill("");
  await field.press("Enter");
  await expect(page.getByRole("alert")).toBeVisible();
  await field.fill("typed");
  await field.press("Control+z");
  await expect(field, "the browser's own undo").not.toHaveValue("typed");
  await field.press("Escape");
  await expect(field).toHaveCount(0);
  await expect(story.rows.nth(1)).toBeFocused();
  await page.keyboard.press("Control+z");
  await expect(tests).toHaveAttribute("data-status", "pending");
});

// Notes
test("a note goes to the agent, once, and says when it was heard", async ({ story, agent, page }) => {
  const field = page.getByLabel("Tell the agent", { exact: true });
  await field.fill("Use the staging database");
  await field.press("Enter");
  await expect(field).toHaveValue("");
  const note = page.getByRole("main").locator("p").filter({ hasText: "Use the staging database" });
  await expect(note).toContainText("pending · next call");
  expect((await agent.write(STORY)).text).toContain("Use the staging database");
  await expect(note).toContainText(/delivered .*\d/);
  expect((await agent.write(STORY)).text).not.toContain("Use the staging database");
  await field.fill("x".repeat(2001));
  await field.press("Enter");
  await expect(
    page.getByRole("main").getByText("1 character too long. Shorten it, or tell it in parts."),
  ).toBeVisible();
  await expect(field).toHaveValue("x".repeat(2001));
});

// Delivery: overridden, and insisted on.
test("the user insists on what the agent overrode", async ({ story, agent, page }) => {
  const parser = story.rows.nth(1);
  await parser.focus();
  await page.keyboard.press("Space");
  await expect(parser).toHaveAttribute("data-status", "completed");
  await agent.write([STORY[0]!, { ...STORY[1]!, status: "pending" }, STORY[2]!]);
  await expect(parser).toContainText("overridden");
  await expect(parser).toHaveAttribute("data-status", "pending");
  await page.getByRole("button", { name: "Send again: “Fix the parser”", exact: true }).focus();
  await page.keyboard.press("Enter");
  await expect(parser).toHaveAttribute("data-status", "completed");
  await expect(parser).toContainText("pending · next call");
  await expect(page.getByRole("button", { name: /^Send again/ })).toHaveCount(0);
});

test("a text of 2,000 characters fits, shown and edited", async ({ story, agent, page }) => {
  await agent.write([{ content: LONG, status: "pending" }]);
  await expect(story.rows).toHaveCount(1);
  await page.getByLabel("Tell the agent", { exact: true }).fill(LONG);
  await page.keyboard.press("Enter");
  await expect(page.getByText(/^1 pending, delivered on its next call/)).toBeVisible();
  for (const width of [1180, 420]) {
    await page.setViewportSize({ width, height: 800 });
    expect(await overflows(page)).toBe(false);
    await story.rows.first().focus();
    await page.keyboard.press("F2");
    await expect(page.getByLabel("Text of step 1", { exact: true })).toBeFocused();
    expect(await overflows(page)).toBe(false);
    await page.keyboard.press("Escape");
  }
});
