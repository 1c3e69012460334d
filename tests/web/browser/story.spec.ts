// From an agent's `todo_write` to a row on the page, and back.
import type { WebSocketRoute } from "@playwright/test";
import { Agent, asSent, contents } from "../parts/agent.ts";
import { MARKUP, NEXT, STORY } from "../parts/story.ts";
import { SightlinePage } from "./page.ts";
import { expect, test } from "./test.ts";

// D4
test("an agent's list appears live: rows, activeForm, running time, progress", async ({
  sightline,
  gateway,
  agent,
}) => {
  await sightline.open(gateway.page);
  await agent.write(STORY);
  await expect(sightline.card("playwright-agent")).toBeVisible();
  await expect(sightline.card("playwright-agent")).toHaveAccessibleName(/1 of 3/);

  await sightline.openSession("playwright-agent");
  await expect(sightline.rows).toHaveCount(3);
  const statuses = ["completed", "in_progress", "pending"];
  for (const [place, status] of statuses.entries()) {
    await expect(sightline.rows.nth(place)).toHaveAttribute("data-status", status);
    await expect(sightline.rows.nth(place)).toHaveAttribute("data-position", String(place + 1));
  }
  await expect(sightline.rows.nth(0)).toContainText("Read the format page");
  await expect(sightline.rows.nth(1)).toContainText("Fixing the parser");
  await expect(sightline.rows.nth(1).locator("time")).toContainText(/\d+\s*(s|min)/);
  await expect(sightline.rows.nth(2)).toContainText("Add the tests");
  await expect(sightline.rows.nth(2)).not.toContainText("Adding the tests");
  await expect(sightline.page.getByText("1/3").first()).toBeVisible();
  await expect(sightline.progress).toHaveAttribute("aria-valuenow", /^(1|33(\.\d+)?|0\.33\d*)$/);

  await agent.write(NEXT);
  await expect(sightline.rows.nth(2)).toHaveAttribute("data-status", "in_progress");
  await expect(sightline.rows.nth(2)).toContainText("Adding the tests");
  await expect(sightline.rows.nth(1)).toContainText("Fix the parser");
  await expect(sightline.page.getByText("2/3").first()).toBeVisible();
});

// D4: the content where there is no activeForm.
test("a step in progress without an activeForm shows its content", async ({ sightline, gateway, agent }) => {
  await agent.write([{ content: "Fix the parser", status: "in_progress" }]);
  await sightline.open(gateway.page);
  await sightline.openSession("playwright-agent");
  await expect(sightline.rows.first()).toContainText("Fix the parser");
  await expect(sightline.rows.first().locator("time")).toBeVisible();
});

// D4
test("the running time runs", async ({ sightline, gateway, agent }) => {
  await agent.write(STORY);
  await sightline.page.clock.install();
  await sightline.open(gateway.page);
  await sightline.openSession("playwright-agent");
  await sightline.page.clock.fastForward("12:00");
  await expect(sightline.rows.nth(1).locator("time")).toHaveText(/^12 min$/);
});

// D5, P5, P6, P3
test("adds, deletes, clears and undoes by hand, and the agent reads it", async ({
  story: sightline,
  agent,
}) => {
  await sightline.add("Ask the customer");
  await sightline.expectRows([
    "Read the format page",
    "Fixing the parser",
    "Add the tests",
    "Ask the customer",
  ]);
  await sightline.insert(2, "Look at the recordings");
  await sightline.expectRows([
    "Read the format page",
    "Look at the recordings",
    "Fixing the parser",
    "Add the tests",
    "Ask the customer",
  ]);
  await sightline.delete(4);
  await expect(sightline.row("Add the tests")).toHaveCount(0);

  const told = await agent.write(STORY);
  expect(contents(told.todos)).toEqual([
    "Read the format page",
    "Look at the recordings",
    "Fix the parser",
    "Ask the customer",
  ]);
  expect(told.userChanges).toHaveLength(3);
  for (const words of ["Look at the recordings", "Ask the customer", "Add the tests"]) {
    expect(told.text).toContain(words);
  }
  const taken = await agent.write(asSent(told.todos));
  expect(taken.userChanges, "told once").toEqual([]);

  await sightline.clear();
  await expect(sightline.rows).toHaveCount(0);
  await sightline.undo();
  await sightline.expectRows([
    "Read the format page",
    "Look at the recordings",
    "Fixing the parser",
    "Ask the customer",
  ]);

  await sightline.delete(1);
  await expect(sightline.rows).toHaveCount(3);
  await sightline.undo();
  await expect(sightline.rows).toHaveCount(4);
  await expect(sightline.rows.first()).toContainText("Read the format page");

  await sightline.clear();
  await expect(sightline.rows).toHaveCount(0);
  const cleared = await agent.read();
  expect(cleared.todos).toEqual([]);
  expect(cleared.userChanges).not.toHaveLength(0);
});

// D5: nothing needs a mouse.
test("everything can be done by keyboard", async ({ sightline, gateway, agent, page }) => {
  await agent.write(STORY);
  await sightline.open(gateway.page);
  const reach = async (name: RegExp): Promise<void> => {
    await expect(async () => {
      await page.keyboard.press("Tab");
      const focused = await page.evaluate(() => {
        const element = document.activeElement;
        return element?.getAttribute("aria-label") ?? element?.textContent?.trim() ?? "";
      });
      expect(focused).toMatch(name);
    }).toPass({ intervals: [0] });
  };
  await sightline.card("playwright-agent").focus();
  await page.keyboard.press("Enter");
  await expect(sightline.rows).toHaveCount(3);
  await page.getByLabel("Add a step", { exact: true }).focus();
  await page.keyboard.type("Ask the customer");
  await page.keyboard.press("Enter");
  await expect(sightline.rows).toHaveCount(4);
  await page.keyboard.type("And another");
  await page.keyboard.press("Enter");
  await expect(sightline.rows, "the field keeps the focus for the next one").toHaveCount(5);
  await page.getByRole("button", { name: "Delete step 1", exact: true }).focus();
  await page.keyboard.press("Enter");
  await expect(sightline.row("Read the format page")).toHaveCount(0);
  await reach(/^Undo$/);
  await page.keyboard.press("Enter");
  await expect(sightline.row("Read the format page")).toHaveCount(1);
});

// D5, D2
test("two pages follow each other and each undoes its own edit", async ({
  sightline,
  gateway,
  agent,
  context,
}) => {
  await agent.write(STORY);
  await sightline.open(gateway.page);
  const other = new SightlinePage(await context.newPage());
  await other.open(gateway.page);
  for (const page of [sightline, other]) await page.openSession("playwright-agent");

  await sightline.delete(1);
  await expect(other.row("Read the format page")).toHaveCount(0);
  await other.delete(2);
  await sightline.expectRows(["Fixing the parser"]);
  await sightline.undo();
  await other.expectRows(["Read the format page", "Fixing the parser"]);
  await other.undo();
  await sightline.expectRows(["Read the format page", "Fixing the parser", "Add the tests"]);
  expect(other.trouble).toEqual([]);
});

// D2, D3
test("shows the same after a reload and after the gateway was restarted", async ({
  story: sightline,
  gateway,
  agent,
}) => {
  const { port } = gateway.runtime;
  await sightline.add("Ask the customer");
  const rows = ["Read the format page", "Fixing the parser", "Add the tests", "Ask the customer"];
  await sightline.expectRows(rows);
  const shown = await sightline.list.ariaSnapshot();

  await sightline.page.reload();
  await sightline.expectRows(rows);

  await gateway.stop();
  await expect(sightline.connection).toHaveAttribute("data-state", "reconnecting");
  await sightline.expectRows(rows);
  await gateway.start(port);
  await expect(sightline.connection).toHaveAttribute("data-state", "connected");
  await sightline.expectRows(rows);
  expect((await sightline.list.ariaSnapshot()).replace(/\d+ (s|min)/g, "")).toBe(
    shown.replace(/\d+ (s|min)/g, ""),
  );

  const told = await agent.write(STORY);
  expect(contents(told.todos)).toEqual([...contents(STORY), "Ask the customer"]);
  await sightline.add("And another");
  await expect(sightline.row("And another")).toBeVisible();
});

// D2: what happened while it was away is not missed.
test("misses nothing of what happened while it was away", async ({ sightline, gateway, agent, page }) => {
  let away = false;
  const connections: WebSocketRoute[] = [];
  await page.routeWebSocket(/\/gateway/, (connection) => {
    if (away) void connection.close();
    else connections.push(connection, connection.connectToServer());
  });
  await agent.write(STORY);
  await sightline.open(gateway.page);
  await sightline.openSession("playwright-agent");
  await sightline.expectRows(["Read the format page", "Fixing the parser", "Add the tests"]);

  away = true;
  for (const connection of connections) await connection.close();
  await expect(sightline.connection).toHaveAttribute("data-state", "reconnecting");
  await agent.write(NEXT);
  await agent.write([...NEXT, { content: "One more", status: "pending" }]);
  const second = await Agent.connect(gateway.runtime, "second-agent");
  await second.write(STORY);
  await second.close();
  away = false;
  await expect(sightline.connection).toHaveAttribute("data-state", "connected");
  await sightline.expectRows(["Read the format page", "Fix the parser", "Adding the tests", "One more"]);
  await page.evaluate(() => (location.hash = "#/"));
  await expect(sightline.card("second-agent")).toBeVisible();
});

// D4
test("what an agent writes is shown as text", async ({ sightline, gateway, page }) => {
  const agent = await Agent.connect(gateway.runtime, "<b>bold</b>");
  await agent.write([
    { content: MARKUP, status: "in_progress", activeForm: MARKUP },
    { content: "javascript:alert(1)", status: MARKUP },
    { content: "\u202Eesrever\u202C and \u0007 bell", status: "pending" },
  ]);
  await sightline.open(gateway.page);
  await expect(page.getByRole("main").getByRole("link")).toHaveCount(1);
  await expect(page.getByRole("main")).toContainText("<b>bold</b>");
  await page.getByRole("main").getByRole("link").click();
  await expect(sightline.rows).toHaveCount(3);
  await expect(sightline.rows.first()).toContainText(MARKUP);
  await expect(sightline.list.locator("img, script, b, a[href^='javascript']")).toHaveCount(0);
  expect(await page.evaluate(() => "owned" in window)).toBe(false);
  await agent.close();
});

// D5: what is refused is said, and the words are not lost.
test("says why a step cannot be added and keeps what was typed", async ({ story: sightline, page }) => {
  const field = page.getByLabel("Add a step", { exact: true });
  await field.fill("x".repeat(2001));
  await field.press("Enter");
  await expect(
    page.getByRole("main").getByText("1 character too long. Shorten it, or add several steps."),
  ).toBeVisible();
  await expect(sightline.rows).toHaveCount(3);
  await expect(field).toHaveValue("x".repeat(2001));
});
