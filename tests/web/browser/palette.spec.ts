// The palette, by keyboard alone, over the real gateway.
import { Agent } from "../parts/agent.ts";
import { STORY } from "../parts/story.ts";
import { expect, test } from "./test.ts";

test("steps, pages and actions are found by a few letters", async ({ sightline, gateway, agent, page }) => {
  await agent.write(STORY);
  const second = await Agent.connect(gateway.runtime, "second-agent");
  await second.write([
    { content: "Draw it", status: "completed" },
    { content: "Polish the lens", status: "pending" },
  ]);
  await sightline.open(gateway.page);
  await expect(sightline.card("second-agent")).toBeVisible();
  const line = page.getByRole("combobox", { name: "Find anything" });

  const ask = async (): Promise<void> => {
    await expect(page.getByRole("dialog")).toHaveCount(0);
    await page.keyboard.press("Control+k");
    await expect(line).toBeFocused();
  };

  await ask();
  await page.keyboard.type("lens");
  await expect(page.getByRole("option").first()).toContainText("Polish the lens");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(sightline.row("Polish the lens")).toBeFocused();

  await ask();
  await page.keyboard.type("dark col");
  await page.keyboard.press("Enter");
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");

  await ask();
  await page.keyboard.type("/todo add last Wrap it up");
  await page.keyboard.press("Enter");
  await expect(sightline.output).toHaveText('Added TODO at position last: "Wrap it up"');
  await page.keyboard.press("Escape");
  await expect(sightline.row("Wrap it up")).toHaveCount(1);

  await ask();
  await page.keyboard.type("keyb");
  await page.keyboard.press("Escape");
  await ask();
  await page.keyboard.type("this map");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog", { name: "Keyboard" })).toBeVisible();
  await second.close();
});

test("the list is copied as Markdown", async ({ story, gateway, page }) => {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"], { origin: gateway.address });
  await story.row("Add the tests").focus();
  await page.keyboard.press("k");
  await expect(page.getByText("is copied as Markdown").first()).toBeVisible();
  const text = await page.evaluate(() => navigator.clipboard.readText());
  expect(text).toContain("- [x] Read the format page");
  expect(text).toContain("Add the tests");
});
