// A session's page by mouse, by touch and by ear: moving, marking, what waits for what, and what needs the user.
import type { Locator, Page } from "@playwright/test";
import { contents } from "../parts/agent.ts";
import type { Todo } from "../parts/agent.ts";
import { findings } from "./findings.ts";
import { select } from "./page.ts";
import { expect, test } from "./test.ts";

const TODOS: Todo[] = [
  { id: "a", content: "Read the format page", status: "completed" },
  {
    id: "b",
    content: "Fix the parser",
    status: "in_progress",
    priority: "high",
    subtasks: [
      { id: "b1", content: "Comments inside blocks", status: "completed" },
      { id: "b2", content: "Cut-off blocks", status: "pending" },
    ],
  },
  { id: "c", content: "Add the tests", status: "pending" },
  { id: "d", content: "Open the pull request", status: "pending" },
];
/** As a model says it, which not every list has. */
const WAITING: Todo[] = TODOS.map((todo) => (todo.id === "d" ? { ...todo, dependencies: ["c"] } : todo));

/** Takes a row by its grip and puts it down in the middle of another's upper part. */
async function drag(page: Page, row: Locator, onto: Locator): Promise<void> {
  await row.hover();
  const from = (await row.locator(".grip").boundingBox())!;
  const to = (await onto.boundingBox())!;
  const x = from.x + from.width / 2;
  await page.mouse.move(x, from.y + from.height / 2);
  await page.mouse.down();
  await page.mouse.move(x, from.y - 20, { steps: 3 });
  await page.mouse.move(x, to.y + 5, { steps: 6 });
}

test("a step is dragged to another place, told to the agent, and taken back by hand", async ({
  story,
  agent,
  page,
}) => {
  const told = await agent.write(TODOS);
  await expect(story.rows).toHaveCount(6);
  const order = () => story.rows.evaluateAll((rows) => rows.map((row) => row.getAttribute("data-position")));
  const texts = (): Promise<string[]> =>
    story.rows.evaluateAll((rows) => rows.map((row) => row.querySelector("bdi")?.textContent ?? ""));
  const before = await texts();

  await drag(page, story.row("Open the pull request"), story.row("Fix the parser"));
  await page.keyboard.press("Escape");
  await page.mouse.up();
  expect(await texts(), "Escape leaves it where it was").toEqual(before);

  await drag(page, story.row("Open the pull request"), story.row("Fix the parser"));
  await page.mouse.up();
  await expect
    .poll(texts)
    .toEqual([
      "Read the format page",
      "Open the pull request",
      "Fix the parser",
      "Comments inside blocks",
      "Cut-off blocks",
      "Add the tests",
    ]);
  expect(await order()).toEqual(["1", "2", "3", "3.1", "3.2", "4"]);
  await expect(story.list.locator("[data-displaced]")).toHaveCount(0);
  expect(contents((await agent.write(told.todos)).todos)).toEqual([
    "Read the format page",
    "Open the pull request",
    "Fix the parser",
    "Add the tests",
  ]);

  await drag(page, story.row("Cut-off blocks"), story.row("Comments inside blocks"));
  await page.mouse.up();
  await expect(story.row("Cut-off blocks")).toHaveAttribute("data-position", "3.1");
  await story.undo();
  await expect(story.row("Cut-off blocks")).toHaveAttribute("data-position", "3.2");
});

test("what waits for another says so, points it out and leads there", async ({ story, agent, page }) => {
  await agent.write(WAITING);
  const last = story.rows.last();
  await expect(last).toHaveAttribute("aria-label", "4. Open the pull request: to do, waits for 3");
  const link = last.getByRole("button", { name: "waits for 3", exact: true });
  await link.click();
  await expect(story.row("Add the tests")).toBeFocused();
  await page.keyboard.press("i");
  await expect(story.details(3)).toContainText("Needed by");
  await story.details(3).getByRole("button", { name: "4 Open the pull request", exact: true }).click();
  await expect(last).toBeFocused();
  await story.row("Add the tests").focus();
  await select(story.details(3).getByLabel("Status"), "completed");
  await expect(link).toHaveCount(0);
  await expect(last).toHaveAttribute("aria-label", "4. Open the pull request: to do");
});

test("a step that is taken up again says how often", async ({ story, agent }) => {
  const of = (status: string): Todo[] => TODOS.map((todo) => (todo.id === "c" ? { ...todo, status } : todo));
  await agent.write(of("completed"));
  await agent.write(of("in_progress"));
  await expect(story.row("Add the tests")).toContainText("reopened once");
});

test("what a step is blocked by counts among what needs the user, until he lets it be", async ({
  story,
  agent,
  page,
}) => {
  await agent.write(TODOS.map((todo) => (todo.id === "c" ? { ...todo, status: "blocked" } : todo)));
  const band = page.getByRole("region", { name: "Needs you here", exact: true });
  await band.getByRole("button", { name: "Step 3 is blocked", exact: true }).click();
  const row = story.row("Add the tests");
  await expect(row).toBeFocused();
  await row.getByRole("button", { name: "Dismiss: “Add the tests”", exact: true }).click();
  await expect(band).toHaveCount(0);
  await story.undo();
  await expect(band).toBeVisible();
});

test.describe("with a finger", () => {
  test.use({ hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } });

  test("steps are marked, edited, moved and deleted", async ({ sightline, gateway, agent, page }) => {
    await agent.write(TODOS);
    await sightline.open(gateway.page);
    await sightline.card("playwright-agent").tap();
    const tests = sightline.row("Add the tests");
    await tests.getByRole("button", { name: /^Status of / }).tap();
    await expect(tests).toHaveAttribute("data-status", "in_progress");
    await page.getByRole("button", { name: "Details of step 3", exact: true }).tap();
    const details = sightline.details(3);
    await details.getByRole("button", { name: "Edit text", exact: true }).tap();
    await page.keyboard.type("Add tests of the parser");
    await page.keyboard.press("Enter");
    await expect(sightline.row("Add tests of the parser")).toHaveCount(1);
    await details.getByRole("button", { name: "Move up", exact: true }).tap();
    await expect(sightline.row("Add tests of the parser")).toHaveAttribute("data-position", "2");
    await sightline.details(2).getByRole("button", { name: "Delete step", exact: true }).tap();
    await expect(sightline.row("Add tests of the parser")).toHaveCount(0);
    await sightline.undo();
    await expect(sightline.row("Add tests of the parser")).toHaveCount(1);
    expect(await findings(page)).toEqual([]);
  });
});

for (const colorScheme of ["light", "dark"] as const) {
  test(`axe finds nothing with details, chips and notes, ${colorScheme}`, async ({ story, agent, page }) => {
    await page.emulateMedia({ colorScheme });
    await agent.write(WAITING);
    await story.row("Add the tests").focus();
    await page.keyboard.press("p");
    await page.keyboard.press("i");
    await page.getByLabel("Tell the agent", { exact: true }).fill("Use the staging database");
    await page.keyboard.press("Enter");
    await expect(page.getByText(/^2 pending/)).toBeVisible();
    expect(await findings(page)).toEqual([]);
  });
}
