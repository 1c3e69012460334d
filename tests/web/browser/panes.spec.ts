// Two panes: a session beside the page that it was opened from, which stays as it was and can be used.
import type { Locator, Page } from "@playwright/test";
import { STORY } from "../parts/story.ts";
import { findings } from "./findings.ts";
import { expect, test } from "./test.ts";

test.use({ viewport: { width: 1600, height: 800 }, contextOptions: { reducedMotion: "reduce" } });

/** More than a window shows. */
const MANY = 40;

const search = (page: Page): Locator => page.getByRole("textbox", { name: "Search every list", exact: true });
const unfinished = (page: Page): Locator => page.getByRole("button", { name: "Unfinished", exact: true });
const lines = (page: Page): Locator =>
  page.getByRole("list", { name: "Lists", exact: true }).getByRole("link");
/** The first line in view, and the offset to which the page is scrolled. */
const seen = (page: Page): Promise<{ line: string; offset: number }> =>
  page.evaluate(() => {
    const list = document.querySelector('[role="list"] [data-at]')!.closest<HTMLElement>(".page")!;
    const all = [...list.querySelectorAll<HTMLAnchorElement>("[data-line]")];
    const first = all.find((each) => each.getBoundingClientRect().top >= list.getBoundingClientRect().top);
    return { line: first?.hash ?? "", offset: list.scrollTop };
  });

test.beforeEach(async ({ sightline, gateway, agent, page }) => {
  for (let number = 0; number < MANY; number += 1) await agent.write(STORY, `session-${number}`);
  await sightline.open(gateway.page);
  await page.getByRole("link", { name: "History", exact: true }).click();
  await expect(lines(page).first()).toBeVisible();
});

test("a session that is opened from History stands beside it, and History keeps its search, its filters and its place", async ({
  sightline,
  page,
}) => {
  await unfinished(page).click();
  await expect(unfinished(page)).toHaveAttribute("aria-pressed", "true");
  await search(page).fill("parser");
  await expect(page.locator("mark").first()).toBeVisible();
  await lines(page).first().focus();
  for (let at = 0; at < 2; at += 1) await page.keyboard.press("PageDown");
  const chosen = page.locator("[data-line]:focus");
  const line = await chosen.getAttribute("href");
  await expect.poll(async () => (await seen(page)).offset).toBeGreaterThan(100);
  const before = await seen(page);

  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/#\/session\//);
  await expect(sightline.rows.first()).toBeVisible();
  await expect(search(page)).toHaveValue("parser");
  await expect(unfinished(page)).toHaveAttribute("aria-pressed", "true");
  const opened = page.locator(`[data-line][href="${line}"]`);
  await expect(opened).toBeInViewport({ ratio: 1 });
  await expect(opened).toHaveAttribute("aria-current", "true");
  expect((await seen(page)).offset, "it is scrolled as it was").toBeGreaterThan(100);
  expect(await findings(page)).toEqual([]);

  // From one to the next.
  const at = Number(await opened.locator("xpath=ancestor::*[@data-at]").getAttribute("data-at"));
  const other = page.locator(`[data-at="${at + 1}"] [data-line]`);
  const next = await other.getAttribute("href");
  await other.click();
  await expect(page.locator("[data-line][aria-current]")).toHaveAttribute("href", next!);
  await expect(search(page)).toHaveValue("parser");
  await page.goBack();
  await expect(page.locator("[data-line][aria-current]")).toHaveAttribute("href", line!);

  await page.keyboard.press("Escape");
  await expect(page).toHaveURL(/#\/history\?q=parser&unfinished$/);
  await expect(page.getByRole("list", { name: "Steps", exact: true })).toHaveCount(0);
  await expect(opened).toBeFocused();
  await expect(opened).toBeInViewport({ ratio: 1 });
  expect((await seen(page)).offset).toBeGreaterThan(100);
  expect(before.offset).toBeGreaterThan(100);
});

test("History is searched and filtered beside a session, which stays open", async ({ sightline, page }) => {
  await lines(page).first().click();
  await expect(sightline.rows.first()).toBeVisible();
  const address = page.url();
  await search(page).fill("measure the wind");
  await expect(page.getByRole("heading", { name: "Nothing found" })).toBeVisible();
  expect(page.url()).toBe(address);
  await expect(sightline.rows.first()).toBeVisible();
  await page.getByRole("button", { name: "Show all lists" }).click();
  await expect(lines(page).first()).toBeVisible();
  await unfinished(page).click();
  await expect(unfinished(page)).toHaveAttribute("aria-pressed", "true");
  expect(page.url()).toBe(address);
  await expect(sightline.rows.first()).toBeVisible();
  await page.getByRole("main").getByRole("link", { name: "History", exact: true }).click();
  await expect(page).toHaveURL(/#\/history\?unfinished$/);
});

test("History stands beside a session, or does not, as it was chosen, also after the page was loaded again", async ({
  sightline,
  page,
}) => {
  await search(page).fill("parser");
  await expect(page.locator("mark").first()).toBeVisible();
  await lines(page).first().focus();
  for (let at = 0; at < 2; at += 1) await page.keyboard.press("PageDown");
  await page.keyboard.press("Enter");
  await expect(sightline.rows.first()).toBeVisible();
  await expect(search(page)).toHaveValue("parser");
  const panes = page.getByRole("button", { name: "History beside session" });
  await panes.click();
  await expect(search(page)).toHaveCount(0);
  await panes.click();
  await expect(search(page)).toHaveValue("parser");
  await expect(page.locator("[data-line][aria-current]"), "where it was").toBeInViewport();

  await page.reload();
  await expect(sightline.rows.first()).toBeVisible();
  await expect(search(page), "it was opened from History").toHaveValue("parser");
  await panes.click();
  await page.reload();
  await expect(sightline.rows.first()).toBeVisible();
  await expect(panes).toHaveAttribute("aria-pressed", "false");
  await expect(search(page)).toHaveCount(0);
  await panes.click();
  await expect(search(page)).toHaveValue("parser");

  await page.setViewportSize({ width: 1499, height: 800 });
  await expect(search(page)).toHaveCount(0);
  await page.setViewportSize({ width: 1500, height: 800 });
  await expect(search(page)).toHaveValue("parser");
});

test("Now is filtered beside a session, which stays open", async ({ sightline, page }) => {
  await page.getByRole("link", { name: "Now", exact: false }).first().click();
  await sightline.card("playwright-agent").first().click();
  await expect(sightline.rows.first()).toBeVisible();
  const address = page.url();
  await page.getByRole("textbox", { name: "Search sessions" }).fill("measure the wind");
  await page.getByRole("link", { name: "Show all sessions" }).click();
  await expect(sightline.card("playwright-agent")).toHaveCount(MANY);
  expect(page.url()).toBe(address);
  await expect(sightline.rows.first()).toBeVisible();
});
