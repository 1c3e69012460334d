// Going around by keyboard, and where the focus is then.
import { Agent } from "../parts/agent.ts";
import { STORY } from "../parts/story.ts";
import { expect, test } from "./test.ts";

test("keys lead to every page, and the way back to where one was", async ({ story, page }) => {
  await page.getByRole("link", { name: "Now", exact: false }).first().focus();
  await story.row("Add the tests").focus();
  await page.keyboard.press("g");
  await page.keyboard.press("a");
  await expect(page.getByRole("heading", { name: "Agents", level: 1 })).toBeFocused();
  await expect(page).toHaveTitle("Agents – Sightline");
  await page.goBack();
  await expect(story.row("Add the tests")).toBeFocused();
  await expect(page).toHaveTitle("1/3 Fixing the parser – Sightline");
  for (const [key, name] of [
    ["e", "Needs you"],
    ["s", "Settings"],
    ["n", "Now"],
  ] as const) {
    await page.keyboard.press("g");
    await page.keyboard.press(key);
    await expect(page.getByRole("heading", { name, level: 1 })).toBeVisible();
  }
});

test("the first Tab leads past the rail", async ({ sightline, gateway, page }) => {
  await sightline.open(gateway.page);
  await page.locator("body").press("Tab");
  await expect(page.getByRole("button", { name: "Skip to content" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "Now", level: 1 })).toBeFocused();
});

test("the map of the keyboard is opened, read and left by keyboard", async ({ story, page }) => {
  await story.row("Add the tests").focus();
  await page.keyboard.press("?");
  const map = page.getByRole("dialog", { name: "Keyboard" });
  await expect(map).toBeVisible();
  await expect(map.getByText("Change its status")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(map).toHaveCount(0);
  await expect(story.row("Add the tests")).toBeFocused();
});

test("brackets go from session to session", async ({ sightline, gateway, agent, page }) => {
  await agent.write(STORY);
  const second = await Agent.connect(gateway.runtime, "second-agent");
  await second.write(STORY);
  await sightline.open(gateway.page);
  await expect(sightline.card("second-agent")).toBeVisible();
  await page.keyboard.press("]");
  await expect(page).toHaveURL(/#\/session\//);
  const first = page.url();
  await page.keyboard.press("[");
  await expect(page).not.toHaveURL(first);
  await page.keyboard.press("n");
  await expect(page.getByLabel("Add a step", { exact: true })).toBeFocused();
  await page.keyboard.type("gn [?");
  await expect(page.getByLabel("Add a step", { exact: true })).toHaveValue("gn [?");
  await second.close();
});
