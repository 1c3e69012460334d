// The window in other languages: the browser's own at first, one that is chosen, and one from right to left.
import type { Page } from "@playwright/test";
import { STORY } from "../parts/story.ts";
import { select } from "./page.ts";
import { expect, test } from "./test.ts";

const PAGES = ["#/", "#/needs", "#/history", "#/agents", "#/settings"];

/** Fails where a page is wider than the window. */
async function expectNoOverflow(page: Page, place: string): Promise<void> {
  const excess = await page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    return scrollWidth - clientWidth;
  });
  expect(excess, `${place} is wider than the window`).toBeLessThanOrEqual(0);
}

/** The languages whose texts the page has loaded. */
async function loaded(page: Page): Promise<string[]> {
  const files = await page.evaluate(() => performance.getEntriesByType("resource").map(({ name }) => name));
  return files.flatMap((file) => /\/assets\/(en|de|es|ja|zh-Hans)-[^/]*\.js$/.exec(file)?.[1] ?? []);
}

test.describe("a browser in German", () => {
  test.use({ locale: "de-DE" });

  test("reads German, loads no other language, and takes the one that is chosen", async ({
    sightline,
    gateway,
    agent,
    page,
  }) => {
    await agent.write(STORY);
    await sightline.open(gateway.page);
    await expect(page.locator("html")).toHaveAttribute("lang", "de");
    await expect(page.getByRole("link", { name: "Einstellungen" })).toBeVisible();
    // In two parts: that of the first page, and the rest.
    expect([...new Set(await loaded(page))]).toEqual(["de"]);
    for (const place of PAGES) {
      await sightline.goTo(place);
      await expectNoOverflow(page, place);
    }
    await expect(page.getByRole("heading", { name: "Einstellungen" })).toBeVisible();
    // A refusal of the gateway is told in German, too.
    const editor = page.getByLabel("Editor", { exact: true });
    await editor.fill('code "');
    await editor.press("Enter");
    await expect(page.getByText("muss ein Befehl mit geschlossenen Anführungszeichen sein")).toBeVisible();
    await select(page.getByLabel("Sprache", { exact: true }), "日本語");
    await expect(page.locator("html")).toHaveAttribute("lang", "ja");
    await expect(page.getByRole("heading", { name: "設定" })).toBeVisible();
    await expectNoOverflow(page, "設定");
  });
});

test("from right to left every page is mirrored", async ({ sightline, gateway, agent, page }) => {
  await page.addInitScript(() => localStorage.setItem("locale", "ar-XB"));
  await agent.write(STORY);
  await sightline.open(gateway.page);
  await expect(page.locator("html")).toHaveAttribute("dir", "rtl");
  for (const width of [1_280, 390]) {
    await page.setViewportSize({ width, height: 800 });
    for (const place of PAGES) {
      await sightline.goTo(place);
      await expectNoOverflow(page, `${place} at ${width}`);
    }
  }
  await page.setViewportSize({ width: 1_280, height: 800 });
  await sightline.goTo("#/");
  const rail = await page.getByRole("navigation").first().boundingBox();
  const main = await page.getByRole("main").boundingBox();
  expect(rail?.x ?? 0, "the rail is on the right").toBeGreaterThan(main?.x ?? Infinity);
});
