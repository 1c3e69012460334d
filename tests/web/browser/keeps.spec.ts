// The window keeps what the user does: in a browser, with a real gateway, a real clipboard and real reloads.
import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { contents } from "../parts/agent.ts";
import { STORY } from "../parts/story.ts";
import type { SightlinePage } from "./page.ts";
import { expect, test } from "./test.ts";

/** The steps of `STORY` as their rows say them. */
const ROWS = ["Read the format page", "Fixing the parser", "Add the tests"];

const UNDO = "Control+z";
const REDO = "Control+Shift+z";

/** The level of each row, by its position. */
const positions = ({ rows }: SightlinePage): Promise<(string | null)[]> =>
  rows.evaluateAll((all) => all.map((row) => row.getAttribute("data-position")));

async function reload({ page, connection }: SightlinePage): Promise<void> {
  await page.reload();
  await expect(connection).toHaveAttribute("data-state", "connected");
}

/** Takes an entry of the session's menu on its page. */
async function choose(page: Page, entry: string): Promise<void> {
  await page
    .getByRole("main")
    .getByRole("button", { name: /^Actions for / })
    .first()
    .click();
  await page.getByRole("menuitem", { name: entry, exact: true }).click();
}

test("Ctrl+Z takes back and Ctrl+Shift+Z makes again what was added and cleared, from an empty field", async ({
  story,
  agent,
  page,
}) => {
  const field = page.getByLabel("Add a step", { exact: true });
  await story.add("Ask the customer");
  await story.expectRows([...ROWS, "Ask the customer"]);
  await expect(field).toBeFocused();
  await page.keyboard.press(UNDO);
  await story.expectRows(ROWS);
  await page.keyboard.press(REDO);
  await story.expectRows([...ROWS, "Ask the customer"]);

  await story.clear();
  await expect(story.rows).toHaveCount(0);
  await field.focus();
  await page.keyboard.press(UNDO);
  await story.expectRows([...ROWS, "Ask the customer"]);
  await page.keyboard.press(REDO);
  await expect(story.rows).toHaveCount(0);
  await page.keyboard.press(UNDO);
  await story.expectRows([...ROWS, "Ask the customer"]);
  expect(contents((await agent.read()).todos)).toEqual([
    ...STORY.map(({ content }) => content),
    "Ask the customer",
  ]);
});

test("a step, a message and a search that are half typed are there after a reload", async ({
  story,
  page,
}) => {
  const step = page.getByLabel("Add a step", { exact: true });
  const message = page.getByLabel("Tell the agent", { exact: true });
  await step.pressSequentially("Half a step");
  await message.pressSequentially("Half a message");
  await reload(story);
  await expect(step).toHaveValue("Half a step");
  await expect(message).toHaveValue("Half a message");
  await step.press("Enter");
  await story.expectRows([...ROWS, "Half a step"]);
  await reload(story);
  await expect(message).toHaveValue("Half a message");
  await expect(step, "what is sent is gone").toHaveValue("");

  await story.goTo("#/history");
  const search = page.getByRole("textbox", { name: "Search every list", exact: true });
  await search.pressSequentially("parser");
  await expect(page.getByRole("link", { name: /Fix the parser/ })).toBeVisible();
  await reload(story);
  await expect(search).toHaveValue("parser");
  await expect(page.getByRole("link", { name: /Fix the parser/ })).toBeVisible();
});

for (const [kind, text] of [
  ["numbered", "1. Write the page\n2. Check every link\n   1. Those that lead out\n3. Publish it"],
  ["Markdown", "- [ ] Write the page\n- [ ] Check every link\n  - [ ] Those that lead out\n- [ ] Publish it"],
  ["indented", "* Write the page\n* Check every link\n\t* Those that lead out\n* Publish it"],
] as const) {
  test(`a checklist from the clipboard becomes steps once it was looked at: ${kind}`, async ({
    story,
    agent,
    page,
  }) => {
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.evaluate((words) => navigator.clipboard.writeText(words), text);
    await page.getByLabel("Add a step", { exact: true }).focus();
    await page.keyboard.press("Control+v");
    const dialog = page.getByRole("dialog", { name: "Add 4 steps?" });
    await expect(dialog.getByRole("listitem")).toHaveCount(4);
    await expect(story.rows, "not before").toHaveCount(3);
    await dialog.getByRole("button", { name: "Add 4 steps", exact: true }).click();
    await expect(story.rows).toHaveCount(7);
    expect(await positions(story)).toEqual(["1", "2", "3", "4", "5", "5.1", "6"]);
    const { todos } = await agent.read();
    expect(contents(todos).slice(3)).toEqual(["Write the page", "Check every link", "Publish it"]);
    expect(contents(todos[4]?.subtasks ?? [])).toEqual(["Those that lead out"]);
    await page.keyboard.press(UNDO);
    await story.expectRows(ROWS);
  });
}

test("steps that are selected with Shift and Ctrl are indented by Tab and removed by Delete, each as one edit", async ({
  story,
  agent,
  page,
}) => {
  const all = ["Read", "Measure", "Fix", "Test", "Publish"];
  await agent.write(all.map((content) => ({ content, status: "pending" })));
  await story.expectRows(all);
  await story.row("Measure").focus();
  await page.keyboard.press("Shift+ArrowDown");
  await expect(page.getByRole("toolbar")).toContainText("2 steps selected");
  await page.keyboard.press("Tab");
  await expect.poll(() => positions(story)).toEqual(["1", "1.1", "1.2", "2", "3"]);
  await page.keyboard.press("Shift+Tab");
  await expect.poll(() => positions(story)).toEqual(["1", "2", "3", "4", "5"]);
  await page.keyboard.press("Escape");
  await expect(page.getByRole("toolbar")).toHaveCount(0);

  await story
    .row("Read")
    .getByText("Read", { exact: true })
    .click({ modifiers: ["Control"] });
  await story
    .row("Test")
    .getByText("Test", { exact: true })
    .click({ modifiers: ["Control"] });
  await expect(page.getByRole("toolbar")).toContainText("2 steps selected");
  await page.keyboard.press("Delete");
  await story.expectRows(["Measure", "Fix", "Publish"]);
  await page.keyboard.press(UNDO);
  await story.expectRows(all);
  expect(contents((await agent.read()).todos)).toEqual(all);
});

test("a session is renamed, exported, deleted and brought back on its page", async ({ story, page }) => {
  await choose(page, "Rename…");
  const field = page.getByRole("dialog").getByRole("textbox", { name: "Rename session" });
  await field.fill("The release");
  await field.press("Enter");
  const heading = page.getByRole("heading", { name: "The release", level: 1 });
  await expect(heading).toBeVisible();
  await reload(story);
  await expect(heading, "the gateway keeps it").toBeVisible();

  const [saved] = await Promise.all([
    page.waitForEvent("download"),
    choose(page, "Export with history (JSON)"),
  ]);
  expect(await readFile(await saved.path(), "utf8")).toContain("Fix the parser");

  await choose(page, "Delete session");
  await expect(page.getByRole("heading", { name: "Now", level: 1 })).toBeVisible();
  await expect(story.card("playwright-agent")).toHaveCount(0);
  await story.undo();
  await expect(story.card("playwright-agent")).toHaveCount(1);
});
