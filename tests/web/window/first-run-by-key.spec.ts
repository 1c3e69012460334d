// From nothing to the first list in the real window with the keyboard alone, and an agent that is let go again.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Agent } from "../parts/agent.ts";
import type { DataFolder } from "../parts/gateway.ts";
import { until } from "../parts/process.ts";
import { STORY } from "../parts/story.ts";
import type { AppWindow } from "./app.ts";
import { expectClipboard } from "./clipboard.ts";
import { expectAt, expectFocusOn, tabTo } from "./focus.ts";
import { expect, test } from "./test.ts";

const CONNECTED = "[mcp_servers.sightline]";

/** Where Codex is found, as far as it is needed to connect it. */
function withCodex(folder: DataFolder): Record<string, string> {
  const programs = join(folder.root, "bin");
  mkdirSync(programs);
  writeFileSync(join(programs, "codex"), "#!/bin/sh\necho 'codex-cli 0.152.0'\n", { mode: 0o755 });
  return { PATH: `${programs}:${process.env.PATH}` };
}

function configuration(folder: DataFolder): string {
  const file = join(folder.home, ".codex/config.toml");
  return existsSync(file) ? readFileSync(file, "utf8") : "";
}

async function unsaid(app: AppWindow, words: string): Promise<void> {
  await until(`the window does not say ${words} any more`, async () => !(await app.text()).includes(words));
}

test("the first steps are taken one after the other", async ({ open, folder }) => {
  const app = await open(withCodex(folder));
  await app.expectText("0.152.0");
  // The planned change is looked at first, and left.
  await tabTo(app, "Connect Codex");
  await app.press("Enter");
  await expectFocusOn(app, "Connect Codex", "heading");
  await app.expectText(CONNECTED);
  await tabTo(app, "Cancel");
  await app.press("Enter");
  await unsaid(app, CONNECTED);
  await expectFocusOn(app, "Connect Codex", "button");
  expect(configuration(folder)).toBe("");

  await app.press("Enter");
  await tabTo(app, "Apply");
  await app.press("Enter");
  await app.expectText("The test passed.");
  expect(configuration(folder)).toContain(CONNECTED);

  await tabTo(app, "Copy command");
  await app.press("Enter");
  await expectClipboard("sightline");
  const agent = await Agent.connect(await folder.gateway(), "window-agent");
  await agent.write(STORY);
  await app.expectText("Your first list is here.");
  await tabTo(app, "Hide first steps");
  await app.press("Enter");
  await app.browser.$('section[aria-label="First steps"]').waitForExist({ reverse: true });
  await tabTo(app, /^window-agent · /);
  await app.press("Enter");
  await expectAt(app, /^#\/session\//);
  await app.expectRows(["Read the format page", "Fixing the parser", "Add the tests"]);
  await agent.close();
});

test("an agent is connected, tested and disconnected on its page", async ({ open, folder }) => {
  const app = await open(withCodex(folder));
  await app.expectText("0.152.0");
  await app.press("g a");
  await expectFocusOn(app, "Agents", "heading");
  await tabTo(app, "Connect Codex");
  await app.press("Enter");
  await expectFocusOn(app, "Connect Codex", "heading");
  await app.press("Escape");
  await unsaid(app, CONNECTED);
  await expectFocusOn(app, "Connect Codex", "button");
  await app.press("Enter");
  await tabTo(app, "Apply");
  await app.press("Enter");
  await expectFocusOn(app, /^Codex is connected/, "heading");
  await until("its test is over", async () => /the test list arrived after \d+ ms/.test(await app.text()));
  expect(configuration(folder)).toContain(CONNECTED);
  await tabTo(app, "Close");
  await app.press("Enter");
  await unsaid(app, "the test list arrived");
  await expectFocusOn(app, "Test Codex", "button");
  await app.press("Enter");
  await until("it is tested again", async () => /the test list arrived after \d+ ms/.test(await app.text()));
  await app.press("Escape");
  await unsaid(app, "the test list arrived");

  // In one folder: a path that is none is refused in words.
  await tabTo(app, "More for Codex");
  await app.press("Enter", "Home", "c");
  await expectFocusOn(app, /^Connect in one project/, "menuitem");
  await app.press("Enter");
  await tabTo(app, "The folder’s whole path");
  await app.type("~/project");
  await app.expectText("Enter the path in full");
  await expectFocusOn(app, "The folder’s whole path", "textbox");
  await app.press("Escape");

  await tabTo(app, "More for Codex");
  await app.press("ArrowUp");
  await expectFocusOn(app, "Disconnect", "menuitem");
  await app.press("Enter");
  await expectFocusOn(app, "Disconnect Codex", "heading");
  await tabTo(app, "Apply");
  await app.press("Enter");
  await expectFocusOn(app, /^Codex is disconnected/, "heading");
  expect(configuration(folder)).not.toContain(CONNECTED);
});
