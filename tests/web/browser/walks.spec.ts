// Pages that are reached, used and left with the keyboard alone: History, Insight, and those that Escape leaves.
import { Agent, type Todo } from "../parts/agent.ts";
import { STORY } from "../parts/story.ts";
import { Walk } from "../parts/walk.ts";
import { expect, test } from "./test.ts";

test.use({ viewport: { width: 1180, height: 820 }, contextOptions: { reducedMotion: "reduce" } });

const MEASURED: Todo[] = [
  { content: "Measure the tokenizer", status: "completed" },
  { content: "Write the report", status: "completed" },
];

test.beforeEach(async ({ gateway, agent, sightline, page }) => {
  await agent.write(STORY);
  const other = await Agent.connect(gateway.runtime, "archivist");
  await other.write(MEASURED);
  await other.close();
  await sightline.open(gateway.page);
  await expect(page.getByRole("main").locator("[data-run]")).toHaveCount(2);
});

test("History by keys alone: searched, a session opened and left, filtered, selected, and left", async ({
  sightline,
  page,
}) => {
  const walk = new Walk(page);
  const lines = page.getByRole("list", { name: "Lists", exact: true }).getByRole("link");
  await walk.press("g h");
  await walk.expectHeading("History");
  await expect(lines).toHaveCount(2);
  await walk.round("History");

  await walk.press("ArrowDown");
  await expect(lines.first()).toBeFocused();
  await walk.press("/");
  const search = page.getByRole("textbox", { name: "Search every list", exact: true });
  await expect(search).toBeFocused();
  await page.keyboard.type("parser");
  await expect(page.locator("mark")).toHaveText("parser");
  await walk.press("ArrowDown");
  await expect(lines.first()).toBeFocused();
  await walk.press("Enter");
  await expect(page).toHaveURL(/#\/session\//);
  await expect(sightline.row("Fix the parser").or(sightline.row("Fixing the parser"))).toBeFocused();
  await walk.press("Escape");
  await expect(page).toHaveURL(/#\/history\?q=parser$/);
  await expect(lines.first()).toBeFocused();
  await walk.press("ArrowUp");
  await expect(search).toBeFocused();
  await walk.press("Escape");
  await expect(search).toHaveValue("");
  await expect(lines).toHaveCount(2);

  const agents = page.getByRole("group", { name: "Filters" }).getByLabel("Agent", { exact: true });
  await walk.tabTo(agents);
  await walk.press("Enter");
  await expect(page.getByRole("option", { name: "archivist" })).toBeVisible();
  await page.keyboard.type("arch");
  await walk.press("Enter");
  await expect(page).toHaveURL(/#\/history\?agent=archivist$/);
  await expect(agents).toBeFocused();
  await expect(lines).toHaveCount(1);
  await walk.tabTo(lines.first());
  await walk.press("x");
  await expect(page.getByRole("toolbar")).toContainText("1 selected");
  await walk.round("History, with one selected");
  await walk.tabTo(lines.first());
  await walk.press("Escape");
  await expect(page.getByRole("toolbar")).toHaveCount(0);
  await expect(lines.first()).toBeFocused();
  await walk.press("Escape");
  await expect(page).toHaveURL(/#\/$/);
  await expect(sightline.card("playwright-agent"), "the session that was open last").toBeFocused();
});

test("Insight by keys alone: reached from History, its range changed, its table read, and left", async ({
  page,
}) => {
  const walk = new Walk(page);
  await walk.press("g h");
  await walk.expectHeading("History");
  await walk.tabTo(page.getByRole("link", { name: "Insight", exact: true }));
  await walk.press("Enter");
  await walk.expectHeading("Insight");
  await expect(page.getByRole("table")).toBeVisible();
  await walk.round("Insight");
  const range = (days: number) => page.getByRole("radio", { name: `${days} days`, exact: true });
  await walk.tabTo(range(30));
  await walk.press("ArrowLeft");
  await expect(range(7)).toBeFocused();
  await expect(range(7)).toBeChecked();
  await expect(page).toHaveURL(/#\/history\/insight\?days=7$/);
  await walk.press("ArrowRight", "ArrowRight");
  await expect(range(90)).toBeChecked();
  await expect(page).toHaveURL(/days=90$/);
  await walk.tabTo(page.getByRole("region", { name: "The same as a table" }));
  await walk.press("Escape");
  await expect(page).toHaveURL(/#\/history$/);
  await walk.expectHeading("History");
});

test("the strip by keys alone: gone through, a session opened, and left", async ({ sightline, page }) => {
  const walk = new Walk(page);
  await walk.press("g c");
  await expect(page.getByRole("navigation")).toHaveCount(0);
  const line = page.getByRole("link", { name: /playwright-agent/ });
  await walk.round("the strip");
  await walk.press("Escape");
  await expect(sightline.card("playwright-agent")).toBeVisible();
  await walk.press("g c");
  await expect(page.getByRole("navigation")).toHaveCount(0);
  await walk.tabTo(line);
  await walk.press("Enter");
  await expect(sightline.rows.first()).toBeVisible();
  await walk.press("Escape");
  await expect(page).toHaveURL(/#\/$/);
});

for (const [name, chord] of [
  ["Needs you", "g e"],
  ["Agents", "g a"],
  ["Settings", "g s"],
] as const) {
  test(`Escape leads from ${name} to Now, and closes a dialog before`, async ({ page }) => {
    const walk = new Walk(page);
    await walk.press(chord);
    await walk.expectHeading(name);
    await walk.press("?");
    await expect(page.getByRole("dialog", { name: "Keyboard" })).toBeVisible();
    await walk.press("Escape");
    await expect(page.getByRole("dialog")).toHaveCount(0);
    await walk.expectHeading(name);
    await walk.press("Escape");
    await expect(page).toHaveURL(/#\/$/);
    await walk.expectHeading("Now");
  });
}
