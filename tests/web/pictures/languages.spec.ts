// The typical state in each language and in both invented ones: what is cut, in English, or on the wrong side is seen.
// `en-XA` is longer, accented and in brackets; `ar-XB` runs from right to left.
import type { Page } from "@playwright/test";
import { misfits } from "./misfits.ts";
import { type Demos, expect, test } from "./test.ts";

const LANGUAGES = ["de", "es", "ja", "zh-Hans", "en-XA", "ar-XB"];

interface Pictured {
  name: string;
  place: string;
  /** Is there when the page is: the time and the words of an agent stand in every language. */
  shown: string;
  height?: number;
  width?: number;
  /** The session that is opened from there. */
  opens?: string;
}

/** The typical scene with a past. */
const TYPICAL: Pictured[] = [
  { name: "now-typical", place: "#/", shown: "[data-run] article" },
  { name: "session-typical", place: "#/", shown: "[data-uid]", height: 1_000, opens: "sightline" },
  { name: "needs-typical", place: "#/needs", shown: "[data-need]" },
  { name: "history-archive", place: "#/history", shown: "[data-line]" },
  { name: "insight-archive", place: "#/history/insight", shown: "main canvas[width]" },
  { name: "agents-typical", place: "#/agents", shown: "main li" },
  { name: "settings-typical", place: "#/settings", shown: "#access-log-more, [role=switch]", height: 1_320 },
  { name: "compact-typical", place: "#/compact", shown: "main.strip li", width: 320, height: 480 },
];

const CHAT: Pictured[] = [
  { name: "conversation-chat", place: "#/", shown: ".talk table", opens: "orders" },
  { name: "new-task-chat", place: "#/chat", shown: "main textarea" },
];

/** Looks at all of them in one page that is loaded once. */
async function look(
  page: Page,
  demo: Awaited<ReturnType<Demos["of"]>>,
  language: string,
  pages: Pictured[],
): Promise<void> {
  await page.addInitScript((tag) => localStorage.setItem("locale", tag), language);
  const { trouble } = await demo.show(page, "#/");
  for (const { name, place, shown, opens, width = 1_180, height = 820 } of pages) {
    await page.setViewportSize({ width, height });
    await page.evaluate((hash) => (location.hash = hash), place);
    if (opens) await page.locator("main [data-run] a", { hasText: opens }).first().click();
    await expect(page.locator(shown).first()).toBeVisible();
    await demo.still(page);
    await expect.soft(page).toHaveScreenshot(`${name}-${language}.png`);
    expect.soft(await page.evaluate(misfits), `${name}: what does not fit`).toEqual([]);
  }
  expect(trouble, "the page reports no errors").toEqual([]);
}

for (const language of LANGUAGES) {
  test(`the typical state: ${language}`, async ({ page, demos }) => {
    await look(page, await demos.of("archive"), language, TYPICAL);
  });

  test(`a conversation: ${language}`, async ({ page, demos }) => {
    await look(page, await demos.of("chat"), language, CHAT);
  });
}
