// Writes to the page, counted in a real browser; how long they take is for the bench.
import type { Page } from "@playwright/test";
import type { Todo } from "../parts/agent.ts";
import { expect, test } from "./test.ts";

const MANY: Todo[] = Array.from({ length: 256 }, (_, step) => ({
  id: String(step),
  content: `Step ${step}`,
  // None is in progress: its time would be written too.
  status: step < 3 ? "completed" : "pending",
}));

/** Notes the rows that are written to, by their positions, from now on. */
async function watchRows(page: Page): Promise<() => Promise<string[]>> {
  await page.evaluate(() => {
    const touched = new Set<string>();
    new MutationObserver((records) => {
      for (const { target } of records) {
        const element = target instanceof Element ? target : target.parentElement;
        const position = element?.closest("[data-uid]")?.getAttribute("data-position");
        if (position) touched.add(position);
      }
    }).observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
    Object.assign(window, { touched });
  });
  return () => page.evaluate(() => [...(window as unknown as { touched: Set<string> }).touched]);
}

test("one changed step among 256 touches its row only", async ({ sightline, gateway, agent }) => {
  await agent.write(MANY);
  await sightline.open(gateway.page);
  await sightline.openSession("playwright-agent");
  await expect(sightline.rows).toHaveCount(MANY.length);
  const touched = await watchRows(sightline.page);
  await agent.write(MANY.map((todo) => (todo.id === "200" ? { ...todo, content: "Changed" } : todo)));
  await expect(sightline.row("Changed")).toHaveCount(1);
  expect(await touched()).toEqual(["201"]);
});

test("a long list is as high as its rows, and the last one is reached", async ({
  sightline,
  gateway,
  agent,
}) => {
  await agent.write(MANY);
  await sightline.open(gateway.page);
  await sightline.openSession("playwright-agent");
  await sightline.rows.nth(3).focus();
  await sightline.page.keyboard.press("End");
  await expect(sightline.rows.last()).toBeFocused();
  await expect(sightline.rows.last()).toBeInViewport();
  await expect(sightline.row("Step 255")).toBeVisible();
});

test("what is at work turns with the clock; nothing moves by itself without end", async ({ story }) => {
  const ring = story.row("Fixing the parser").locator('svg[style*="rotate"]');
  const turned = () => ring.evaluate((svg) => (svg as SVGElement).style.rotate);
  const first = await turned();
  expect(first).toMatch(/turn$/);
  await expect.poll(turned).not.toBe(first);
  const endless = await story.page.evaluate(
    () => document.getAnimations().filter((one) => one.effect?.getTiming().iterations === Infinity).length,
  );
  expect(endless).toBe(0);
});

test("who wants stillness gets it: no ring turns", async ({ story }) => {
  const turning = story.row("Fixing the parser").locator('svg[style*="rotate"]');
  await expect(turning).toHaveCount(1);
  await story.page.emulateMedia({ reducedMotion: "reduce" });
  await expect(turning).toHaveCount(0);
});

test("the rail with its mark is there before the script", async ({ sightline, gateway, page }) => {
  const mark = page.locator("#app > .early");
  let go = (): void => undefined;
  const held = new Promise<void>((resolve) => (go = resolve));
  await page.route("**/assets/*.js", async (route) => {
    await held;
    await route.continue();
  });
  const opened = sightline.open(gateway.page);
  await expect(mark).toBeVisible();
  await expect(mark).toHaveText("Sightline");
  await expect(page.getByRole("navigation")).toHaveCount(0);
  go();
  await opened;
  await expect(page.getByRole("navigation")).toBeVisible();
  await expect(mark).toHaveCount(0);
});
