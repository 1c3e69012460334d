// The page before there is anything to see.
import { spawnSync } from "node:child_process";
import { STORY } from "../parts/story.ts";
import { expect, test } from "./test.ts";

// D4: the empty state says how to send the first list, with a command to copy that works.
test("the command of the empty state works as it is copied", async ({ sightline, gateway, folder, page }) => {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"], { origin: gateway.address });
  await sightline.open(gateway.page);
  await page.getByRole("button", { name: "Copy command", exact: true }).first().click();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).not.toBe("");
  const command = await page.evaluate(() => navigator.clipboard.readText());
  const pasted = spawnSync("bash", ["-c", command], { cwd: folder.home, encoding: "utf8", timeout: 30_000 });
  expect(pasted.status, `${command}\n${pasted.stdout}${pasted.stderr}`).toBe(0);
  await expect(page.getByText("Your first list is here.", { exact: false }).first()).toBeVisible();
  await expect(page.getByRole("main").getByRole("article").getByRole("link").first()).toBeInViewport();
  await expect(page.getByRole("button", { name: "Copy command" })).toHaveCount(0);
});

// D2
test("without its key the page shows nothing and says what to do", async ({ page, gateway, agent }) => {
  await agent.write(STORY);
  for (const address of [`${gateway.address}/`, `${gateway.address}/#pair=wrong.wrong`]) {
    await page.goto("about:blank");
    await page.goto(address);
    await expect(page.getByText(/key|paired/i).first()).toBeVisible();
    await expect(page.getByText("Fix the parser")).toHaveCount(0);
    await expect(page.getByText("Fixing the parser")).toHaveCount(0);
  }
});

// D2: the key does not stay where it could be copied or seen.
test("the key does not stay in the address", async ({ sightline, gateway, page }) => {
  await sightline.open(gateway.page);
  await expect(page).not.toHaveURL(/token=|pair=/);
  await page.reload();
  await expect(sightline.connection).toHaveAttribute("data-state", "connected");
});
