// axe finds nothing, on any page, in any of the colour schemes.
import { Agent, type Todo } from "../parts/agent.ts";
import { STORY } from "../parts/story.ts";
import { converse } from "../pictures/chat.ts";
import { findings } from "./findings.ts";
import { expect, test } from "./test.ts";

const EVERY_STATUS: Todo[] = [
  "pending",
  "in_progress",
  "completed",
  "blocked",
  "skipped",
  "cancelled",
  "odd",
].map((status) => ({
  content: `A step that is ${status}`,
  status,
  priority: "high",
  activeForm: `Being ${status}`,
  subtasks: [{ content: `A part of what is ${status}`, status }],
}));

for (const colorScheme of ["light", "dark"] as const) {
  test.describe(colorScheme, () => {
    test.use({ colorScheme, contextOptions: { reducedMotion: "reduce" } });

    test("axe finds nothing on the empty state", async ({ sightline, gateway, page }) => {
      await sightline.open(gateway.page);
      await expect(page.getByRole("button", { name: "Copy command" }).first()).toBeVisible();
      expect(await findings(page)).toEqual([]);
    });

    test("axe finds nothing on Now and on a session", async ({ sightline, gateway, agent, page }) => {
      await agent.write(STORY);
      const second = await Agent.connect(gateway.runtime, "second-agent");
      await second.write(EVERY_STATUS);
      await sightline.open(gateway.page);
      await expect(sightline.card("second-agent")).toBeVisible();
      await expect(sightline.card("playwright-agent")).toBeVisible();
      expect(await findings(page)).toEqual([]);

      await sightline.openSession("second-agent");
      await expect(sightline.rows.first()).toBeVisible();
      expect(await findings(page)).toEqual([]);

      await sightline.add("Ask the customer");
      await sightline.delete(1);
      await expect(page.getByRole("button", { name: "Undo", exact: true })).toBeVisible();
      expect(await findings(page), "with a toast and an edit that waits").toEqual([]);

      const waiting = page.getByRole("button", { name: /^Status of “A step that is in_progress”/ });
      const waitingRow = sightline.rows.filter({ has: waiting });
      await waiting.click();
      await expect(waitingRow).toHaveAttribute("data-status", "completed");
      await second.write([{ content: "A step that is in_progress", status: "pending" }]);
      await expect(page.getByRole("button", { name: /^Send again/ }).first()).toBeVisible();
      await page.getByLabel("Tell the agent", { exact: true }).fill("Use the staging database");
      await page.keyboard.press("Enter");
      await sightline.rows.first().focus();
      await page.keyboard.press("F2");
      await page.keyboard.press("Delete");
      await page.keyboard.press("Enter");
      await expect(page.getByRole("alert")).toBeVisible();
      expect(await findings(page), "with a note, an overridden edit and a text that is refused").toEqual([]);
      await page.keyboard.press("Escape");

      await sightline.clear();
      await expect(sightline.rows).toHaveCount(0);
      expect(await findings(page), "with a cleared list").toEqual([]);
      await second.close();
    });

    test("axe finds nothing on the command bar and on a step's details", async ({ story, agent, page }) => {
      await page.keyboard.press("Control+k");
      await expect(page.getByRole("option").first()).toBeVisible();
      await page.keyboard.type("pars");
      expect(await findings(page), "with what was found").toEqual([]);
      await page.keyboard.press("Escape");
      await expect(page.getByRole("dialog")).toHaveCount(0);
      await page.keyboard.press("/");
      await expect(story.command).toBeFocused();
      await expect(page.getByRole("option").first()).toBeVisible();
      expect(await findings(page), "with choices").toEqual([]);
      await page.keyboard.press("ArrowDown");
      expect(await findings(page), "with one that is marked").toEqual([]);
      await story.command.fill("");
      await story.run("help");
      await expect(story.output).toBeVisible();
      await story.run("add 9 Too far");
      await expect(page.getByRole("alert")).toBeVisible();
      expect(await findings(page), "with an answer and an error").toEqual([]);
      await page.keyboard.press("Escape");

      for (const row of [1, 2]) {
        await story.rows.nth(row).focus();
        await page.keyboard.press("i");
        await expect(story.details(row + 1)).toContainText("Added by");
      }
      expect(await findings(page), "with details").toEqual([]);
      await story.details(3).getByLabel("Notes").fill("Half");
      await agent.write(STORY.slice(0, 2));
      await expect(page.getByRole("button", { name: "Discard" })).toBeVisible();
      expect(await findings(page), "with a step that is gone").toEqual([]);
    });

    test("axe finds nothing on many sessions", async ({ sightline, gateway, agent, page }) => {
      for (let number = 0; number < 30; number++) await agent.write(STORY, `session-${number}`);
      await sightline.open(gateway.page);
      await expect(page.getByRole("main").getByRole("link")).toHaveCount(30);
      expect(await findings(page)).toEqual([]);
    });

    test("axe finds nothing on Settings, with one that is refused", async ({ sightline, gateway, page }) => {
      await sightline.open(gateway.page);
      await page.getByRole("link", { name: "Settings" }).click();
      await page.getByRole("switch", { name: "Quiet hours" }).click();
      await page.getByLabel("Stale after").fill("0");
      await page.keyboard.press("Tab");
      await expect(page.getByRole("alert")).toBeVisible();
      expect(await findings(page)).toEqual([]);
      await page.keyboard.press("Shift+Tab");
      await page.getByRole("button", { name: /^All keys/ }).click();
      await expect(page.getByRole("dialog", { name: "Keyboard" })).toBeVisible();
      expect(await findings(page), "with the map of the keyboard").toEqual([]);
    });

    test("axe finds nothing on a new task, and on conversations", async ({
      sightline,
      gateway,
      folder,
      page,
    }) => {
      await sightline.open(gateway.page);
      await page.getByRole("link", { name: "New task" }).click();
      await page.getByLabel("Task", { exact: true }).fill("Tidy up");
      await page.keyboard.press("Enter");
      await expect(page.getByRole("alert")).toBeVisible();
      await expect(page.getByRole("dialog")).toBeVisible();
      expect(await findings(page), "without a model").toEqual([]);
      await page.keyboard.press("Escape");
      await converse(folder);
      await page.getByRole("button", { name: "Model: mock:scripted" }).click();
      await expect(page.getByRole("dialog").getByRole("option")).toHaveCount(1);
      expect(await findings(page), "with the models there are").toEqual([]);
      await page.keyboard.press("Escape");
      await page.getByRole("combobox", { name: "Folder", exact: true }).focus();
      await page.keyboard.press("ArrowDown");
      await expect(page.getByRole("option", { selected: true })).toBeVisible();
      expect(await findings(page), "with the folders that are offered").toEqual([]);
      await page.keyboard.press("Escape");

      await page.evaluate(() => (location.hash = "#/"));
      await sightline.card("sightline").filter({ hasText: "orders" }).click();
      await page.getByRole("button", { name: "Reasoning" }).click();
      for (const call of [/^done files__read/, /^failed files__read/]) {
        await page.getByRole("button", { name: call }).click();
      }
      expect(await findings(page), "with calls that are open").toEqual([]);
      for (const [project, asks] of [
        ["invoices", /^May it call/],
        ["website", "Its plan. May it begin?"],
      ] as const) {
        await page.evaluate(() => (location.hash = "#/"));
        await sightline.card("sightline").filter({ hasText: project }).click();
        await expect(page.getByRole("region", { name: asks })).toBeVisible();
        expect(await findings(page), `with what ${project} asks`).toEqual([]);
      }
    });

    test("axe finds nothing on the strip, and on a phone", async ({ sightline, gateway, agent, page }) => {
      await page.setViewportSize({ width: 320, height: 640 });
      await sightline.open(gateway.page);
      expect(await findings(page), "on the first steps").toEqual([]);
      await agent.write(STORY);
      await expect(sightline.card("playwright-agent")).toBeVisible();
      expect(await findings(page), "with the tabs at the foot, and the first list").toEqual([]);
      await page.keyboard.press("g");
      await page.keyboard.press("c");
      await expect(page.getByRole("navigation")).toHaveCount(0);
      await expect(page.getByRole("link", { name: /playwright-agent/ })).toBeVisible();
      expect(await findings(page), "on the strip").toEqual([]);
    });

    test("axe finds nothing without the key", async ({ gateway, page }) => {
      await page.goto(gateway.address);
      await expect(page.getByText(/key|paired/i).first()).toBeVisible();
      expect(await findings(page)).toEqual([]);
    });
  });
}
