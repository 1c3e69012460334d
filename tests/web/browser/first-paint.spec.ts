// The first cards stand where they stay: nothing that is fetched after them moves them.
import { list } from "../parts/busy.ts";
import { placesOf, watchShifts } from "../parts/places.ts";
import { expect, test } from "./test.ts";

for (const [width, hasTouch] of [
  [390, false],
  [390, true],
  [700, false],
  [900, false],
  [900, true],
  [1_280, false],
] as const) {
  test.describe(`${width} wide${hasTouch ? ", with a finger" : ""}`, () => {
    test.use({ viewport: { width, height: 800 }, hasTouch, isMobile: hasTouch });

    test("no card moves when the filters come, which are fetched after the first cards", async ({
      sightline,
      gateway,
      agent,
      page,
    }) => {
      for (let number = 0; number < 5; number += 1) await agent.write(list(number, 0), `run-${number}`);
      let release = (): void => {};
      const held = new Promise<void>((resolve) => (release = resolve));
      await page.route(/\/BoardFilters-.*\.js$/, async (route) => {
        await held;
        await route.continue();
      });
      await sightline.open(gateway.page);
      const cards = page.getByRole("main").locator("[data-run]");
      await expect(cards).toHaveCount(5);
      await expect(page.getByLabel("Search sessions")).toHaveCount(0);
      const shifts = await watchShifts(page);
      const before = await placesOf(cards);
      release();
      await expect(page.getByLabel("Search sessions")).toBeVisible();
      expect(await placesOf(cards)).toEqual(before);
      const seen = await shifts();
      expect(seen.shift, JSON.stringify(seen.sources)).toBe(0);
    });
  });
}
