// Menus, dialogs and fields that offer several ways: what they are built on writes styles of its own, which the content
// security policy must allow, and holds the page while it is open, which must end with it.
import { select } from "./page.ts";
import { expect, test } from "./test.ts";

test("the page can be used after a dialog, a menu and a field were closed", async ({ story, page }) => {
  const body = page.locator("body");
  await page.keyboard.press("?");
  const map = page.getByRole("dialog", { name: "Keyboard" });
  await expect(map).toBeVisible();
  await map.getByRole("button", { name: "Close" }).click();
  await expect(map).toHaveCount(0);
  await expect(body).not.toHaveAttribute("style");
  await page.getByRole("button", { name: "Details of step 3", exact: true }).click();
  await expect(story.details(3)).toBeVisible();

  const status = story.details(3).getByLabel("Status");
  await status.click();
  await expect(page.getByRole("option", { name: "blocked", exact: true })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("option")).toHaveCount(0);
  await expect(status).toBeFocused();
  await expect(story.details(3)).toBeVisible();
  await select(status, "blocked");
  await expect(status).toHaveText("blocked");

  await page.getByRole("link", { name: "Now", exact: true }).click();
  const actions = page.getByRole("button", { name: /^Actions for/ });
  await actions.click();
  await expect(page.getByRole("menu")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(actions).toBeFocused();
  // A hand that does not wait.
  await page.keyboard.press("Enter");
  await page.keyboard.press("m");
  await expect(page.getByRole("menuitem", { name: "Mute", exact: true })).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("menu")).toHaveCount(0);
  await expect(body).not.toHaveAttribute("style");
  await story.card("playwright-agent").click();
  await expect(story.list).toBeVisible();
});

test("a dialog holds the focus, closes beside it, and gives the focus back", async ({ story, page }) => {
  await story.row("Add the tests").focus();
  await page.keyboard.press("?");
  const map = page.getByRole("dialog", { name: "Keyboard" });
  await expect(map).toBeVisible();
  for (const key of ["Tab", "Tab", "Tab", "Shift+Tab"]) {
    await page.keyboard.press(key);
    expect(await map.evaluate((dialog) => dialog.contains(document.activeElement))).toBe(true);
  }
  await page.mouse.click(4, 4);
  await expect(map).toHaveCount(0);
  await expect(story.row("Add the tests")).toBeFocused();
});
