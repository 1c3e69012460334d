// Permissions that agents ask for are answered in the page: the agent's side is a connection that reports and asks as a hook does.
import type { Locator, Page } from "@playwright/test";
import { Asking } from "../parts/asking.ts";
import { findings } from "./findings.ts";
import { expect, test } from "./test.ts";

/** Opens the permission of the band, which shows one line of it by itself. */
async function openBand(page: Page): Promise<Locator> {
  const band = page.getByRole("main").getByRole("region", { name: "Needs you" });
  await band.getByRole("button", { name: /^Answer: claude · / }).click();
  return band.getByRole("group", { name: /^Permission: claude · / });
}

const COMMAND = { command: "cargo test -p hub", description: "Run the tests" };

test("a command is allowed for the session, another is denied with words that reach the agent", async ({
  sightline,
  gateway,
  page,
}) => {
  await sightline.open(gateway.page);
  const agent = await Asking.begin(gateway.runtime);
  const first = agent.ask("Bash", COMMAND);
  // The first page shows the first of all that needs the user.
  const band = await openBand(page);
  await expect(band).toContainText("cargo test -p hub");
  await expect(band).toContainText("in /home/me/billing");
  await band.getByRole("button", { name: /^Allow for this session/ }).click();
  expect(await first).toMatchObject({ allowed: true });
  expect(
    await agent.ask("Bash", { command: "cargo test -p hub --release" }),
    "the rule decides",
  ).toMatchObject({
    allowed: true,
  });

  const second = agent.ask("Bash", { command: "rm -rf \u202Etegrat" });
  await page
    .getByRole("navigation")
    .getByRole("link", { name: /^Needs you/ })
    .click();
  const card = page.getByRole("group", { name: /^Permission: claude · / });
  await expect(card).toContainText("rm -rf <U+202E>tegrat");
  await page.keyboard.press("j");
  await page.keyboard.press("m");
  await page.keyboard.type("Use cargo clean instead");
  await page.keyboard.press("Enter");
  expect(await second).toMatchObject({ allowed: false, message: "Use cargo clean instead" });
  await expect(page.getByText("All clear")).toBeVisible();

  await sightline.goTo("#/");
  await page
    .getByRole("main")
    .getByRole("link", { name: /^claude · / })
    .click();
  const history = page.getByRole("list", { name: "Permissions asked for" }).getByRole("listitem");
  await expect(history).toHaveCount(3);
  await expect(history.nth(0)).toContainText("You said: Use cargo clean instead");
  await expect(history.nth(1)).toContainText("Allowed by a rule");
  await sightline.goTo("#/settings");
  const rules = page.getByRole("list", { name: "Rules", exact: true }).getByRole("listitem");
  await expect(rules).toContainText("single Bash commands that begin with cargo test -p hub");
  await expect(rules).toContainText("Decided 1 call");
  agent.socket.close();
});

test("a rule for first words answers for the user from then on", async ({ sightline, gateway, page }) => {
  await sightline.open(gateway.page);
  const agent = await Asking.begin(gateway.runtime);
  const first = agent.ask("Bash", COMMAND);
  await openBand(page);
  await page.getByRole("button", { name: /^Always allow…/ }).click();
  const dialog = page.getByRole("dialog", { name: "Always allow" });
  await dialog.getByLabel("Command begins with").fill("cargo test");
  await dialog.getByRole("button", { name: "Always allow" }).click();
  expect(await first).toMatchObject({ allowed: true });
  expect(await agent.ask("Bash", { command: "cargo test" })).toMatchObject({ allowed: true });
  const other = agent.ask("Bash", { command: "cargo test && rm -rf /" });
  await expect(await openBand(page)).toContainText("cargo test && rm -rf /");
  await page.getByRole("button", { name: /^Deny: / }).click();
  expect(await other).toMatchObject({ allowed: false });
  agent.socket.close();
});

test("a question is answered by a click, on whatever page one is", async ({ sightline, gateway, page }) => {
  await sightline.open(gateway.page);
  const agent = await Asking.begin(gateway.runtime);
  await sightline.goTo("#/settings");
  const options = [{ label: "SQLite", description: "One file" }, { label: "Postgres" }];
  const asked = agent.ask("AskUserQuestion", {}, { questions: [{ text: "Which database?", options }] });
  const news = page.getByRole("region", { name: /asks for permission$/ });
  await expect(news).toContainText("Which database?");
  await news.getByRole("link").click();
  await page.getByRole("button", { name: "Postgres" }).click();
  expect(await asked).toMatchObject({ allowed: true, answers: [["Postgres"]] });
  agent.socket.close();
});

test("a page that may only edit says why it answers nobody", async ({ sightline, gateway, page }) => {
  await sightline.open(gateway.code("edit"));
  const agent = await Asking.begin(gateway.runtime);
  void agent.ask("Bash", COMMAND).catch(() => undefined);
  await page.getByRole("button", { name: /^Open session: claude · / }).click();
  await expect(page.getByRole("button", { name: /^Allow: / })).toBeDisabled();
  await expect(page.getByText("This page may not answer agents.")).toBeVisible();
  agent.socket.close();
});

for (const colorScheme of ["light", "dark"] as const) {
  test.describe(colorScheme, () => {
    test.use({ colorScheme, contextOptions: { reducedMotion: "reduce" } });

    test("axe finds nothing where agents ask", async ({ sightline, gateway, page }) => {
      await sightline.open(gateway.page);
      const agent = await Asking.begin(gateway.runtime);
      void agent.ask("Bash", COMMAND, { alone: true }).catch(() => undefined);
      const edit = { file_path: "/home/me/billing/src/lib.rs", old_string: "one", new_string: "two" };
      void agent.ask("Edit", edit).catch(() => undefined);
      const questions = [
        { text: "Which?", header: "Database", options: [{ label: "SQLite" }, { label: "Postgres" }] },
        { text: "What else?", options: [{ label: "Tests" }, { label: "Docs" }], multiple: true },
      ];
      void agent.ask("AskUserQuestion", {}, { questions }).catch(() => undefined);
      await sightline.goTo("#/needs");
      await expect(page.getByRole("group", { name: /^Permission: / })).toHaveCount(3);
      await expect(page.getByRole("checkbox", { name: "Docs" })).toBeEnabled();
      expect(await findings(page)).toEqual([]);
      await page
        .getByRole("button", { name: /^Always allow…/ })
        .first()
        .click();
      await expect(page.getByRole("dialog")).toBeVisible();
      expect(await findings(page), "with the dialog of a rule").toEqual([]);
      await page.keyboard.press("Escape");
      await page.setViewportSize({ width: 390, height: 800 });
      expect(await findings(page), "on a phone").toEqual([]);
      agent.socket.close();
    });

    test("axe finds nothing on a permission that is opened on Now", async ({ sightline, gateway, page }) => {
      await sightline.open(gateway.page);
      const agent = await Asking.begin(gateway.runtime);
      const edit = { file_path: "/home/me/billing/src/lib.rs", old_string: "one", new_string: "two" };
      for (const [tool, input, width] of [
        ["Bash", COMMAND, 1280],
        ["Edit", edit, 390],
      ] as const) {
        await page.setViewportSize({ width, height: 800 });
        const asked = agent.ask(tool, input);
        const band = page.getByRole("region", { name: "Needs you" });
        await band.getByRole("button", { name: /^Answer: claude · / }).click();
        await expect(band.getByRole("group", { name: /^Permission: claude · / })).toBeFocused();
        expect(await findings(page), `${tool}, ${width} wide`).toEqual([]);
        await band.getByRole("button", { name: /^Deny with a message/ }).click();
        await expect(page.getByLabel("Message to the model")).toBeFocused();
        expect(await findings(page), `${tool}, with a message`).toEqual([]);
        await page.keyboard.press("Escape");
        await band.getByRole("button", { name: /^Allow: / }).click();
        expect(await asked).toMatchObject({ allowed: true });
      }
      agent.socket.close();
    });
  });
}
