// The strip, in a narrow window of the browser.
import { STORY } from "../parts/story.ts";
import { expect, test } from "./test.ts";

test.use({ viewport: { width: 320, height: 200 } });

test("a line says what a session does, and leads to it", async ({ sightline, gateway, agent, page }) => {
  await agent.write(STORY);
  await sightline.open(gateway.page);
  await page.keyboard.press("g");
  await page.keyboard.press("c");
  const line = page.getByRole("link", { name: /playwright-agent/ });
  await expect(line).toContainText("Fixing the parser");
  await expect(page.getByRole("navigation")).toHaveCount(0);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
  await agent.write([{ content: "Fix the parser", status: "in_progress", activeForm: "x".repeat(300) }]);
  await expect(line).toContainText("xxx");
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);

  await page.keyboard.press("Escape");
  await expect(page).toHaveURL(/#\/$/);
  await page.keyboard.press("g");
  await page.keyboard.press("c");
  // The page goes once the change of the address is heard of, which is later than the key.
  await expect(page.getByRole("navigation")).toHaveCount(0);
  await expect(line).toBeVisible();
  await page.keyboard.press("ArrowDown");
  await expect(line).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/#\/session\//);
  await expect(sightline.rows.first()).toBeVisible();
});
