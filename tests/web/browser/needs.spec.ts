// One queue for everything that waits for the user, each entry with what settles it.
import { Agent } from "../parts/agent.ts";
import type { Runtime } from "../parts/gateway.ts";
import { findings } from "./findings.ts";
import { expect, test } from "./test.ts";

/** Entries that are not settled; those that are stand where they were until nobody is at the page. */
const OPEN = "[data-need]:not([data-settled])";
const OWN = "0199aa11-2b3c-7d4e-8f50-123456789abc";

/** The events that an agent's hook reports about a run. */
async function hook(runtime: Runtime, event: string, more: Record<string, string> = {}): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${runtime.port}/hooks/codex`, {
    method: "POST",
    headers: { Authorization: `Bearer ${runtime.agentToken}` },
    body: JSON.stringify({ session_id: OWN, cwd: "/home/me/billing", hook_event_name: event, ...more }),
  });
  expect(response.status).toBe(200);
}

test("what needs the user is one queue, longest first, and each entry is settled where it stands", async ({
  sightline,
  gateway,
  agent,
  page,
}) => {
  await agent.write([
    { content: "Upgrade the cluster", status: "blocked" },
    { content: "Rotate the keys", status: "blocked" },
  ]);
  await sightline.open(gateway.page);
  await hook(gateway.runtime, "UserPromptSubmit", { prompt: "Prepare the release" });
  const rail = page.getByRole("navigation").getByRole("link", { name: /^Needs you/ });
  await expect(rail, "its list is off before it waits, by the clock too").toContainText("3");
  await hook(gateway.runtime, "PermissionRequest", { tool_name: "Bash" });
  await expect(rail).toContainText("4");
  await rail.click();
  const entries = page.locator(OPEN);
  await expect(entries).toHaveCount(4);
  await expect(entries.nth(0)).toContainText("Blocked: Upgrade the cluster");
  await expect(entries.nth(2)).toContainText("Waiting for you: approval: Bash");
  await expect(entries.nth(3), "health comes last").toContainText("No list: its todo tool is off");

  await page.keyboard.press("j");
  await expect(entries.nth(0).getByRole("button", { name: /^Open step/ })).toBeFocused();
  await entries
    .nth(0)
    .getByRole("button", { name: /^Unblock/ })
    .click();
  await expect(entries).toHaveCount(3);
  await expect(page.getByText("“Upgrade the cluster” is no longer blocked.").first()).toBeVisible();
  const list = await agent.read();
  expect(list.todos[0]).toMatchObject({ content: "Upgrade the cluster", status: "pending" });

  await entries
    .nth(0)
    .getByRole("button", { name: /^Open step/ })
    .press("x");
  await expect(entries).toHaveCount(2);
  await sightline.undo();
  await expect(entries).toHaveCount(3);

  await hook(gateway.runtime, "PostToolUse", { tool_name: "Bash" });
  await expect(entries).toHaveCount(2);
});

test("a step that is blocked is shown in its list", async ({ sightline, gateway, agent, page }) => {
  await agent.write([
    { content: "Collect", status: "completed" },
    { content: "Upgrade the cluster", status: "blocked" },
  ]);
  await sightline.open(gateway.page);
  await page.goto(`${gateway.page.split("#")[0]}#/needs`);
  await page.getByRole("button", { name: /^Open step/ }).click();
  await expect(sightline.row("Upgrade the cluster")).toBeFocused();
});

test("an edit that the agent overrode says what was wanted, and can be insisted on", async ({
  sightline,
  gateway,
  agent,
  page,
}) => {
  await agent.write([{ content: "Run the tests", status: "in_progress" }]);
  await sightline.open(gateway.page);
  await sightline.openSession("playwright-agent");
  await page.getByRole("button", { name: /^Status of “Run the tests”/ }).click();
  await expect(sightline.row("Run the tests")).toHaveAttribute("data-status", "completed");
  await agent.read();
  await agent.write([{ content: "Run the tests", status: "pending" }]);
  await page
    .getByRole("navigation")
    .getByRole("link", { name: /^Needs you/ })
    .click();
  const entry = page.locator(OPEN);
  await expect(entry).toContainText("You marked “Run the tests” as completed");
  await expect(entry).toContainText("playwright-agent changed it back. It is now to do.");
  await entry.getByRole("button", { name: /^Send again/ }).click();
  await expect(page.locator("[data-settled]"), "it stays under the pointer").toHaveCount(1);
  await page.mouse.move(0, 0);
  await expect(page.getByText("All clear")).toBeVisible();
  expect((await agent.read()).text).toContain("Run the tests");
});

for (const colorScheme of ["light", "dark"] as const) {
  test.describe(colorScheme, () => {
    test.use({ colorScheme, contextOptions: { reducedMotion: "reduce" } });

    test("axe finds nothing in the queue, empty or full", async ({ sightline, gateway, agent, page }) => {
      await sightline.open(gateway.page);
      await page
        .getByRole("navigation")
        .getByRole("link", { name: /^Needs you/ })
        .click();
      await expect(page.getByText("All clear")).toBeVisible();
      expect(await findings(page)).toEqual([]);
      await agent.write([{ content: "Upgrade the cluster", status: "blocked" }]);
      await hook(gateway.runtime, "UserPromptSubmit", { prompt: "Prepare the release" });
      await hook(gateway.runtime, "PermissionRequest", { tool_name: "Bash" });
      const second = await Agent.connect(gateway.runtime, "second-agent");
      await second.write([{ content: "A step", status: "blocked" }]);
      await expect(page.locator(OPEN)).toHaveCount(4);
      expect(await findings(page)).toEqual([]);
      await page.setViewportSize({ width: 390, height: 800 });
      expect(await findings(page), "on a phone").toEqual([]);
      await second.close();
    });
  });
}
