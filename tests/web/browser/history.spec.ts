// The archive in a browser: found, opened where it was said, travelled over, and taken out.
import { Agent, type Todo } from "../parts/agent.ts";
import { STORY } from "../parts/story.ts";
import { findings } from "./findings.ts";
import { expect, test } from "./test.ts";

const FIRST: Todo[] = [
  { id: "a", content: "Read the format page", status: "completed" },
  { id: "b", content: "Measure the tokenizer", status: "in_progress" },
];
const SECOND: Todo[] = [
  { id: "a", content: "Read the format page", status: "completed" },
  { id: "c", content: "Write the report", status: "pending" },
];

test("what was said once is found, and opened where it was", async ({ sightline, gateway, agent, page }) => {
  await agent.write(FIRST);
  await agent.write(SECOND);
  await sightline.open(gateway.page);
  await page.keyboard.press("g");
  await page.keyboard.press("h");
  await expect(page.getByRole("heading", { name: "History", level: 1 })).toBeVisible();
  await page.keyboard.press("/");
  const search = page.getByRole("textbox", { name: "Search every list", exact: true });
  await expect(search).toBeFocused();
  await page.keyboard.type("measur");
  const hit = page.getByRole("link", { name: /Measure the tokenizer/ });
  await expect(hit.locator("mark")).toHaveText("Measure");
  await page.keyboard.press("Enter");
  const past = page.getByRole("list", { name: "Steps as they were", exact: true });
  const step = past.locator("[data-uid]").filter({ hasText: "Measure the tokenizer" });
  await expect(step).toBeFocused();
  await expect(page).toHaveURL(/[?&]at=\d+&step=/);
  await page.keyboard.press("Escape");
  await expect(sightline.list.locator("[data-uid]")).toHaveCount(2);
  await expect(past).toHaveCount(0);
  await page.getByRole("main").getByRole("link", { name: "History", exact: true }).click();
  await expect(search).toHaveValue("measur");
});

for (const odd of ['"', "AND (", "*", "a OR", "'; --", "NEAR/", "😀"]) {
  test(`odd input is no error: ${odd}`, async ({ sightline, gateway, agent, page }) => {
    await agent.write(FIRST);
    await sightline.open(`${gateway.page}`);
    await page.getByRole("link", { name: "History", exact: true }).click();
    await page.getByRole("textbox", { name: "Search every list", exact: true }).fill(odd);
    await expect(page).toHaveURL(/q=/);
    await expect(page.getByRole("status").filter({ hasText: /found/ })).toHaveCount(1);
    await expect(page.getByRole("alert")).toHaveCount(0);
  });
}

test("a list is dragged back and made the list again, which the agent is told", async ({
  sightline,
  gateway,
  agent,
  page,
}) => {
  await agent.write(FIRST);
  await agent.write(SECOND);
  await sightline.open(gateway.page);
  await sightline.openSession("playwright-agent");
  const timeline = page.getByRole("slider", { name: "Revisions of this list", exact: true });
  await timeline.focus();
  await page.keyboard.press("Home");
  const past = page.getByRole("list", { name: "Steps as they were", exact: true });
  await expect(past.locator("[data-uid]").filter({ hasText: "Measure the tokenizer" })).toBeVisible();
  await expect(timeline).toBeFocused();
  await page.getByRole("button", { name: "Restore this version", exact: true }).click();
  await expect(sightline.row("Measure the tokenizer")).toBeVisible();
  const told = await agent.write(SECOND);
  expect(JSON.stringify(told.todos)).toContain("Measure the tokenizer");
});

test("lists are picked, saved, deleted and brought back", async ({ sightline, gateway, agent, page }) => {
  await agent.write(STORY);
  const second = await Agent.connect(gateway.runtime, "second-agent");
  await second.write(FIRST);
  await second.close();
  await sightline.open(gateway.page);
  await page.getByRole("link", { name: "History", exact: true }).click();
  const lines = page.getByRole("main").getByRole("listitem");
  await expect(lines).toHaveCount(2);
  await lines.first().getByRole("link").focus();
  await page.keyboard.press("x");
  await page.keyboard.press("Shift+ArrowDown");
  const bar = page.getByRole("toolbar");
  await expect(bar).toContainText("2 selected");
  await bar.getByRole("button", { name: "Export", exact: true }).click();
  const [saved] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("menuitem", { name: "JSON, with every revision" }).click(),
  ]);
  expect(saved.suggestedFilename()).toMatch(/^sightline-.*\.json$/);
  await bar.getByRole("button", { name: "Delete", exact: true }).click();
  await expect(lines).toHaveCount(0);
  await sightline.undo();
  await expect(lines).toHaveCount(2);
});

// P3, P8
test("a list that was cleared is opened, loaded and deleted by itself", async ({
  sightline,
  gateway,
  agent,
  socket,
  page,
}) => {
  const { sessionId } = await agent.write(FIRST);
  await socket.ask("todo.clear", { sessionId });
  await agent.write([{ content: "Ship the release" }]);
  await sightline.open(gateway.page);
  await page.getByRole("link", { name: "History", exact: true }).click();
  const lines = page.getByRole("main").getByRole("listitem");
  await expect(lines).toHaveCount(2);
  await expect(page.getByText("2 lists", { exact: true })).toBeVisible();
  const ended = page.getByRole("link", { name: /Read the format page, 1 of 2/ });
  await ended.click();
  const past = page.getByRole("list", { name: "Steps as they were", exact: true });
  await expect(past.locator("[data-uid]")).toHaveCount(2);
  await page.getByRole("button", { name: "Restore this version", exact: true }).click();
  await sightline.expectRows(["Read the format page", "Measure the tokenizer"]);
  await page.getByRole("link", { name: "History", exact: true }).first().click();
  await expect(lines, "what made room is kept as well").toHaveCount(3);
  await page.getByRole("link", { name: /Ship the release/ }).focus();
  await page.keyboard.press("x");
  await page.getByRole("toolbar").getByRole("button", { name: "Delete", exact: true }).click();
  await expect(lines).toHaveCount(2);
  await sightline.undo();
  await expect(page.getByRole("link", { name: /Ship the release/ })).toBeVisible();
});

// P5
test("a list of the user's own begins on the page and is taken up by the agent of its label", async ({
  sightline,
  gateway,
  page,
}) => {
  await sightline.open(gateway.page);
  await page.getByRole("button", { name: "New list", exact: true }).click();
  await page.getByLabel("First step", { exact: true }).fill("Ask the customer");
  await page.getByLabel("Label (optional)", { exact: true }).fill("billing");
  await page.keyboard.press("Enter");
  await sightline.expectRows(["Ask the customer"]);
  await expect(page.getByLabel("Add a step", { exact: true })).toBeFocused();
  await page.keyboard.type("Send the invoice");
  await page.keyboard.press("Enter");
  await sightline.expectRows(["Ask the customer", "Send the invoice"]);
  const taker = await Agent.connect(gateway.runtime, "playwright-agent", "billing");
  const read = await taker.read();
  expect(read.todos.map(({ content }) => content)).toEqual(["Ask the customer", "Send the invoice"]);
  expect(read.userChanges).toHaveLength(2);
  await taker.close();
  await page.getByRole("link", { name: "Now", exact: true }).first().click();
  await expect(sightline.card("playwright-agent")).toBeVisible();
});

test("what can be done with those that are picked is in view, and nothing scrolls for it", async ({
  sightline,
  gateway,
  page,
}) => {
  await page.setViewportSize({ width: 390, height: 700 });
  for (let run = 0; run < 14; run += 1) {
    const each = await Agent.connect(gateway.runtime, "archivist", `run ${run}`);
    await each.write(FIRST);
    await each.close();
  }
  await sightline.open(`${gateway.page}`);
  await page.getByRole("link", { name: "History", exact: true }).click();
  const lines = page.getByRole("main").getByRole("listitem");
  await lines.first().getByRole("link").focus();
  await page.keyboard.press("x");
  const offset = (): Promise<number | undefined> =>
    page.evaluate(() => document.querySelector(".page")?.scrollTop);
  const exported = page.getByRole("button", { name: "Export", exact: true });
  for (const way of ["by keys", "once more"]) {
    await exported.focus();
    await page.keyboard.press("Enter");
    const menu = await page.getByRole("menu").boundingBox();
    expect(menu?.x, way).toBeGreaterThanOrEqual(0);
    expect((menu?.x ?? 0) + (menu?.width ?? 0), way).toBeLessThanOrEqual(390);
    await page.keyboard.press("Escape");
    await expect(exported).toBeFocused();
    expect(await offset(), way).toBe(0);
  }
  await page.keyboard.press("Escape");
  await lines.first().getByRole("link").focus();
  await page.keyboard.press("End");
  await expect.poll(offset).toBeGreaterThan(100);
  const before = await offset();
  await page.keyboard.press("/");
  await expect(page.getByRole("textbox", { name: "Search every list", exact: true })).toBeFocused();
  expect(await offset(), "it is in view wherever the page stands").toBe(before);
});

for (const colorScheme of ["light", "dark"] as const) {
  for (const width of [1180, 390]) {
    test(`axe finds nothing on the archive, ${colorScheme}, ${width} px`, async ({
      sightline,
      gateway,
      agent,
      page,
    }) => {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await page.setViewportSize({ width, height: 844 });
      await agent.write(FIRST);
      await agent.write(SECOND);
      await page.goto(gateway.page);
      await page.getByRole("link", { name: "History", exact: true }).click();
      const lines = page.getByRole("main").getByRole("listitem");
      await expect(lines).toHaveCount(1);
      await lines.getByRole("link").focus();
      await page.keyboard.press("x");
      expect(await findings(page), "with one that is picked").toEqual([]);
      await page.keyboard.press("Escape");
      await page.getByRole("textbox", { name: "Search every list", exact: true }).fill("measure");
      await expect(page.locator("mark")).toBeVisible();
      expect(await findings(page), "with a hit").toEqual([]);
      await page.keyboard.press("Enter");
      const past = page.getByRole("list", { name: "Steps as they were", exact: true });
      await expect(past).toBeVisible();
      expect(await findings(page), "in the past").toEqual([]);
      await page.getByRole("button", { name: "Copy into…", exact: true }).click();
      await expect(page.getByRole("dialog")).toBeVisible();
      expect(await findings(page), "asked where to").toEqual([]);
      await page.keyboard.press("Escape");
      await page.evaluate(() => (location.hash = "#/history/insight"));
      await expect(page.getByRole("table")).toBeVisible();
      expect(await findings(page), "on what was done").toEqual([]);
      const isWide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
      expect(isWide).toBe(false);
    });
  }
}
