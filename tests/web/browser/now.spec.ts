// The board: what wants attention first, what can be done to a session, and that it stays readable.
import { Agent } from "../parts/agent.ts";
import { findings } from "./findings.ts";
import { expect, test } from "./test.ts";

test("a session is pinned, muted and brought back by key, from its card", async ({
  sightline,
  gateway,
  agent,
  page,
}) => {
  await agent.write([{ content: "Fix the parser", status: "in_progress", activeForm: "Fixing the parser" }]);
  const second = await Agent.connect(gateway.runtime, "second-agent");
  await second.write([{ content: "Write the examples", status: "in_progress" }]);
  await sightline.open(gateway.page);
  const cards = page.getByRole("main").getByRole("article");
  await expect(cards).toHaveCount(2);
  await expect(cards.nth(0), "the youngest first").toContainText("second-agent");

  await sightline.card("playwright-agent").focus();
  await page.keyboard.press("p");
  await expect(cards.nth(0)).toContainText("playwright-agent");
  await expect(sightline.card("playwright-agent"), "it keeps the focus where it goes").toBeFocused();

  await sightline.card("second-agent").focus();
  await page.keyboard.press("m");
  await expect(cards).toHaveCount(1);
  await expect(page.getByText(/ is muted\. No notifications about it\.$/).first()).toBeVisible();
  await page.reload();
  await expect(cards).toHaveCount(1);
  await page.locator("summary").click();
  await sightline.card("second-agent").focus();
  await page.keyboard.press("m");
  await expect(cards).toHaveCount(2);
  await second.close();
});

test("the list of a session is copied as Markdown from its menu", async ({
  sightline,
  gateway,
  agent,
  page,
  context,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await agent.write([
    { content: "Read the page", status: "completed" },
    { content: "Fix the parser", status: "in_progress" },
  ]);
  await sightline.open(gateway.page);
  await sightline.card("playwright-agent").focus();
  await page.keyboard.press("Shift+F10");
  await expect(page.getByRole("menuitem").first()).toBeFocused();
  await page.keyboard.press("End");
  // The focus comes a moment after the key.
  await expect(page.getByRole("menuitem").last()).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByText(/ is copied as Markdown\.$/).first()).toBeVisible();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied).toContain("- [x] Read the page");
  expect(copied).toContain("Fix the parser");
});

test("what does not run is dismissed until it is heard of again", async ({ sightline, gateway, page }) => {
  const hook = async (event: string, more: Record<string, string> = {}): Promise<void> => {
    const response = await fetch(`${gateway.address}/hooks/codex`, {
      method: "POST",
      headers: { Authorization: `Bearer ${gateway.runtime.agentToken}` },
      body: JSON.stringify({
        session_id: "0199aa11-2b3c-7d4e-8f50-123456789abc",
        hook_event_name: event,
        ...more,
      }),
    });
    expect(response.status).toBe(200);
  };
  await sightline.open(gateway.page);
  await hook("UserPromptSubmit", { prompt: "Prepare the release" });
  await expect(sightline.card("codex")).toBeVisible();
  await hook("Stop");
  await expect(page.getByRole("article")).toContainText("idle since");
  await sightline.card("codex").focus();
  await page.keyboard.press("x");
  await expect(page.getByRole("article")).toHaveCount(0);
  await hook("UserPromptSubmit", { prompt: "Go on" });
  await expect(sightline.card("codex")).toBeVisible();
});

test("a card is opened wherever it is clicked, and what stands on it does what it says", async ({
  sightline,
  gateway,
  agent,
  page,
}) => {
  await agent.write([{ content: "Fix the parser", status: "in_progress", activeForm: "Fixing the parser" }]);
  await sightline.open(gateway.page);
  const card = page.getByRole("main").getByRole("article");
  await card.hover();
  await card.getByRole("button", { name: /^Actions for/ }).click();
  await page.getByRole("menuitem", { name: "Pin", exact: true }).click();
  await expect(card.getByText("Pinned")).toBeAttached();
  const box = await card.boundingBox();
  await page.mouse.click((box?.x ?? 0) + 40, (box?.y ?? 0) + (box?.height ?? 0) - 60);
  await expect(sightline.row("Fixing the parser")).toBeVisible();
});

for (const [width, height] of [
  [1180, 820],
  [390, 800],
] as const) {
  test(`nothing reaches beyond a window ${width} wide, whatever agents write`, async ({
    sightline,
    gateway,
    page,
  }) => {
    await page.setViewportSize({ width, height });
    const long = "x".repeat(2_000);
    for (const [index, content] of [long, "שלום עולם", "🧪".repeat(40), "<b>not bold</b>"].entries()) {
      const each = await Agent.connect(gateway.runtime, `agent-${index}`);
      await each.write([
        { content, status: "in_progress", activeForm: content },
        { content: `Again ${content.slice(0, 900)}` },
      ]);
      await each.close();
    }
    await sightline.open(gateway.page);
    await expect(page.getByRole("main").locator("[data-run]")).toHaveCount(4);
    const beyond = await page.evaluate(() => {
      const scroller = document.querySelector("main .page");
      return Math.max(
        document.documentElement.scrollWidth - innerWidth,
        (scroller?.scrollWidth ?? 0) - (scroller?.clientWidth ?? 0),
      );
    });
    expect(beyond).toBe(0);
  });
}

for (const colorScheme of ["light", "dark"] as const) {
  test.describe(colorScheme, () => {
    test.use({ colorScheme, contextOptions: { reducedMotion: "reduce" } });

    test("axe finds nothing on a board of many, in cards or lines, with a menu open", async ({
      sightline,
      gateway,
      page,
    }) => {
      const agents: Agent[] = [];
      for (let index = 0; index < 14; index += 1) {
        const each = await Agent.connect(gateway.runtime, `agent-${index}`);
        await each.write([
          { content: "Read the page", status: "completed" },
          { content: "Fix the parser", status: index % 3 === 0 ? "blocked" : "in_progress" },
          { content: "Add the tests" },
        ]);
        agents.push(each);
      }
      await sightline.open(gateway.page);
      await expect(page.getByRole("main").locator("[data-run]")).toHaveCount(14);
      expect(await findings(page)).toEqual([]);
      await page.getByRole("button", { name: "Dense", exact: true }).click();
      await sightline.card("agent-1").first().focus();
      await page.keyboard.press("Shift+F10");
      await expect(page.getByRole("menu")).toBeVisible();
      expect(await findings(page)).toEqual([]);
      for (const each of agents) await each.close();
    });
  });
}
