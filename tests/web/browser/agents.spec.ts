// Agents are connected through the page, in a home of their own, with programs that only say their version.
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Locator, Page } from "@playwright/test";
import { Agent } from "../parts/agent.ts";
import type { DataFolder } from "../parts/gateway.ts";
import { STORY } from "../parts/story.ts";
import { findings } from "./findings.ts";
import { select } from "./page.ts";
import { expect, test as base } from "./test.ts";

const VERSIONS = { codex: "codex-cli 0.152.0", gemini: "0.61.0" };

const CODEX = `# Mine, and it stays.
model = "o9"   # odd spaces, too

[mcp_servers.other]
command = "other"
`;

const test = base.extend({
  folder: async ({ folder }, use) => {
    const programs = join(folder.root, "bin");
    mkdirSync(programs);
    for (const [name, version] of Object.entries(VERSIONS)) {
      writeFileSync(join(programs, name), `#!/bin/sh\necho '${version}'\n`, { mode: 0o755 });
    }
    const environment = folder.environment.bind(folder);
    folder.environment = (more = {}) => {
      const made = environment(more);
      return { ...made, PATH: `${programs}:${made.PATH}` };
    };
    mkdirSync(join(folder.home, ".codex"));
    writeFileSync(codexFile(folder), CODEX);
    await use(folder);
  },
});

function codexFile(folder: DataFolder): string {
  return join(folder.home, ".codex", "config.toml");
}

/** An agent's row on its page. */
function row(page: Page, title: string): Locator {
  const heading = page.getByRole("heading", { name: title, exact: true });
  return page.getByRole("list", { name: "Agents" }).getByRole("listitem").filter({ has: heading });
}

async function toAgents(page: Page): Promise<void> {
  await page.getByRole("navigation").getByRole("link", { name: "Agents", exact: true }).click();
  await expect(page.getByRole("heading", { name: "Agents", exact: true })).toBeFocused();
}

test("an agent is connected, tested, heard of and disconnected", async ({
  sightline,
  gateway,
  folder,
  page,
}) => {
  await sightline.open(gateway.page);
  await toAgents(page);
  const codex = row(page, "Codex");
  await expect(codex).toContainText("0.152.0");
  await expect(codex).toContainText("Not connected");

  await codex.getByRole("button", { name: "Connect Codex" }).click();
  const change = codex.getByRole("region", { name: "Changes to be made" });
  await expect(change.locator("ins").filter({ hasText: "[mcp_servers.sightline]" })).toBeVisible();
  await expect(change).toContainText(codexFile(folder));
  expect(readFileSync(codexFile(folder), "utf8"), "nothing is written before it is asked for").toBe(CODEX);

  await codex.getByRole("button", { name: "Apply" }).click();
  await expect(codex).toContainText("Codex is connected.");
  await expect(codex).toContainText("The test passed.");
  await expect(codex).toContainText(/the test list arrived after \d+ ms/);
  const connected = readFileSync(codexFile(folder), "utf8");
  expect(connected).toContain("[mcp_servers.sightline]");
  expect(connected).toContain("# Mine, and it stays.");
  const backup = readdirSync(join(folder.home, ".codex")).find((name) => name.includes("backup")) ?? "none";
  await expect(codex).toContainText(backup);
  expect(readFileSync(join(folder.home, ".codex", backup), "utf8")).toBe(CODEX);
  await expect(codex).toContainText("Connected, no list from it yet");

  const agent = await Agent.connect(gateway.runtime, "codex");
  await agent.write(STORY);
  await page.evaluate(() => window.dispatchEvent(new Event("focus")));
  await expect(codex).toContainText("Connected, last list just now");
  await agent.close();

  await codex.getByRole("button", { name: "More for Codex" }).click();
  await page.getByRole("menuitem", { name: "Disconnect", exact: true }).click();
  await expect(change.locator("del").filter({ hasText: "[mcp_servers.sightline]" })).toBeVisible();
  await codex.getByRole("button", { name: "Apply" }).click();
  await expect(codex).toContainText("Codex is disconnected.");
  await expect(codex).toContainText("Not connected");
  expect(readFileSync(codexFile(folder), "utf8"), "as it was, to the byte").toBe(CODEX);
});

test("a file that somebody changes meanwhile is not written over", async ({
  sightline,
  gateway,
  folder,
  page,
}) => {
  await sightline.open(gateway.page);
  await toAgents(page);
  const gemini = row(page, "Gemini CLI");
  const file = join(folder.home, ".gemini", "settings.json");
  await gemini.getByRole("button", { name: "Connect Gemini CLI" }).click();
  await expect(gemini.getByRole("button", { name: "Apply" })).toBeVisible();
  mkdirSync(join(folder.home, ".gemini"));
  const theirs = '{\n  "theme": "dark"\n}\n';
  writeFileSync(file, theirs);
  await gemini.getByRole("button", { name: "Apply" }).click();
  await expect(gemini.getByRole("alert")).toContainText("changed meanwhile");
  expect(readFileSync(file, "utf8")).toBe(theirs);
  await gemini.getByRole("button", { name: "Check again" }).click();
  await expect(gemini.getByRole("region", { name: "Changes to be made" })).toContainText('"theme": "dark"');
  await gemini.getByRole("button", { name: "Apply" }).click();
  await expect(gemini).toContainText("The test passed.");
  expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({
    theme: "dark",
    mcpServers: { sightline: {} },
  });
});

test("a mistake in a file is said with its line, and one can look again", async ({
  sightline,
  gateway,
  folder,
  page,
}) => {
  writeFileSync(codexFile(folder), "model = \n");
  await sightline.open(gateway.page);
  await toAgents(page);
  const codex = row(page, "Codex");
  await expect(codex).toContainText("Its configuration can’t be read");
  await expect(codex).toContainText(/line 1/);
  writeFileSync(codexFile(folder), CODEX);
  await codex.getByRole("button", { name: "Check again Codex" }).click();
  await expect(codex).toContainText("Not connected");
});

test("the line is added to the instructions of a project that is typed", async ({
  sightline,
  gateway,
  folder,
  page,
}) => {
  const project = join(folder.home, "My project");
  mkdirSync(project);
  await sightline.open(gateway.page);
  await toAgents(page);
  const codex = row(page, "Codex");
  await codex.getByRole("button", { name: "More for Codex" }).press("ArrowDown");
  await page.keyboard.press("a");
  await page.keyboard.press("Enter");
  await codex.getByLabel("The folder’s whole path").fill(project);
  await page.keyboard.press("Enter");
  await expect(codex.getByRole("region", { name: "Changes to be made" })).toContainText("new file");
  await codex.getByRole("button", { name: "Apply" }).click();
  await expect(codex).toContainText("AGENTS.md has the line.");
  expect(readFileSync(join(project, "AGENTS.md"), "utf8")).toContain("todo_write");
  await expect(codex).not.toContainText("The test");
});

test("an agent that is slow to answer holds nothing up", async ({ sightline, gateway, folder, page }) => {
  const go = join(folder.root, "go");
  const slow = `#!/bin/sh\nwhile [ ! -e '${go}' ]; do sleep 0.05; done\necho '${VERSIONS.codex}'\n`;
  writeFileSync(join(folder.root, "bin", "codex"), slow, { mode: 0o755 });
  await sightline.open(gateway.page);
  await toAgents(page);
  const looking = page.getByText("Looking for agents…");
  await expect(looking).toBeVisible();
  const agent = await Agent.connect(gateway.runtime, "playwright-agent");
  await agent.write(STORY);
  const rail = page.getByRole("navigation").getByRole("list").getByRole("link");
  await expect(rail, "events go on").toHaveCount(1);
  await rail.click();
  await sightline.add("One more");
  await expect(sightline.rows, "and so do requests").toHaveCount(STORY.length + 1);
  writeFileSync(go, "");
  await toAgents(page);
  await expect(row(page, "Codex")).toContainText("0.152.0");
  await agent.close();
});

test("an import of nothing says so", async ({ sightline, gateway, page }) => {
  await sightline.open(gateway.page);
  await toAgents(page);
  await select(page.getByLabel("Transcripts of"), "Codex");
  await page.getByRole("button", { name: "Import", exact: true }).click();
  await expect(page.getByText("There are no transcripts here.")).toBeVisible();
});

for (const colorScheme of ["light", "dark"] as const) {
  test.describe(colorScheme, () => {
    test.use({ colorScheme, contextOptions: { reducedMotion: "reduce" } });

    test("axe finds nothing on the agents", async ({ sightline, gateway, folder, page }) => {
      expect(existsSync(codexFile(folder))).toBe(true);
      await sightline.open(gateway.page);
      await toAgents(page);
      const codex = row(page, "Codex");
      await expect(codex).toContainText("Not connected");
      expect(await findings(page)).toEqual([]);

      await codex.getByRole("button", { name: "More for Codex" }).click();
      await expect(page.getByRole("menu")).toBeVisible();
      expect(await findings(page), "with a menu").toEqual([]);
      await page.keyboard.press("Escape");

      await codex.getByRole("button", { name: "Connect Codex" }).click();
      await expect(codex.getByRole("button", { name: "Apply" })).toBeVisible();
      expect(await findings(page), "with a difference").toEqual([]);
      await codex.getByRole("button", { name: "Apply" }).click();
      await expect(codex).toContainText("The test passed.");
      expect(await findings(page), "with a test").toEqual([]);

      const gemini = row(page, "Gemini CLI");
      await gemini.getByRole("button", { name: "More for Gemini CLI" }).click();
      await page.getByRole("menuitem", { name: /^Connect in one project/ }).click();
      await gemini.getByLabel("The folder’s whole path").fill("here");
      await page.keyboard.press("Enter");
      await expect(gemini.getByRole("alert")).toBeVisible();
      expect(await findings(page), "with a folder that is none").toEqual([]);
    });
  });
}
