// The typical state in each language and in both invented ones: what is cut, in English, or on the wrong side is seen.
// `en-XA` is longer, accented and in brackets; `ar-XB` runs from right to left.
import { expect, test } from "./test.ts";

const LANGUAGES = ["de", "es", "ja", "zh-Hans", "en-XA", "ar-XB"];
/** With one text of the page's: the time and the words of an agent stand in every language. */
const PAGES: [name: string, place: string, shown: string, height: number][] = [
  ["now", "#/", "[data-run] article", 820],
  ["session", "#/", "[data-uid]", 1_000],
  ["needs", "#/needs", "[data-need]", 820],
  ["settings", "#/settings", "#access-log-more, [role=switch]", 1_320],
];

for (const language of LANGUAGES) {
  test(`the typical state: ${language}`, async ({ page, demos }) => {
    await page.addInitScript((tag) => localStorage.setItem("locale", tag), language);
    const demo = await demos.of("typical");
    const { trouble } = await demo.show(page, "#/");
    for (const [name, place, shown, height] of PAGES) {
      await page.setViewportSize({ width: 1_180, height });
      await page.evaluate((hash) => (location.hash = hash), place);
      if (name === "session")
        await page.locator("main [data-run] a", { hasText: "sightline" }).first().click();
      await expect(page.locator(shown).first()).toBeVisible();
      await demo.still(page);
      await expect.soft(page).toHaveScreenshot(`${name}-typical-${language}.png`);
    }
    expect(trouble, "the page reports no errors").toEqual([]);
  });
}
