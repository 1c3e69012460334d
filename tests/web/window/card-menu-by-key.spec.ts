// A card's menu in the real window with the keyboard alone: it opens programs, and copies text to be pasted elsewhere.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Agent } from "../parts/agent.ts";
import { Run } from "../parts/codex-run.ts";
import type { DataFolder } from "../parts/gateway.ts";
import { until } from "../parts/process.ts";
import { STORY } from "../parts/story.ts";
import { expectClipboard } from "./clipboard.ts";
import { expectFocusOn, tabTo } from "./focus.ts";
import { expect, test } from "./test.ts";

const MENU = "[role=menu]";

/** A program of that name, which writes down what it is to open. */
function opener(folder: DataFolder, name: string): { PATH: string; opened: () => string | undefined } {
  const programs = join(folder.root, "bin");
  const told = join(folder.root, "opened");
  mkdirSync(programs, { recursive: true });
  writeFileSync(join(programs, name), `#!/bin/sh\nprintf '%s\\n' "$@" >'${told}'\n`, { mode: 0o755 });
  return {
    PATH: `${programs}:${process.env.PATH}`,
    opened: () => (existsSync(told) ? readFileSync(told, "utf8") : undefined),
  };
}

test("a card's menu opens its folder and copies what can be pasted elsewhere", async ({ open, folder }) => {
  const { PATH, opened } = opener(folder, "xdg-open");
  const app = await open({ PATH });
  const runtime = await folder.gateway();
  const project = join(folder.root, "billing");
  mkdirSync(project);
  const run = await new Run(runtime, 1, project).begin();
  await run.plan([
    { step: "Read the notes", status: "completed" },
    { step: "Draft the release", status: "in_progress" },
  ]);
  const other = await Agent.connect(runtime, "other");
  await other.write(STORY);
  await app.card("other").waitForExist();
  const ACTIONS = "Actions for billing";

  await tabTo(app, /^codex · /);
  await app.press("Shift+F10");
  await expectFocusOn(app, "Pin", "menuitem");
  await app.press("ArrowDown");
  await expectFocusOn(app, "Mute", "menuitem");
  await app.press("ArrowUp", "ArrowUp");
  await expectFocusOn(app, "Copy list as Markdown", "menuitem");
  await app.press("Escape");
  await app.browser.$(MENU).waitForExist({ reverse: true });
  await expectFocusOn(app, ACTIONS, "button");
  await app.press("Enter", "o");
  await expectFocusOn(app, "Open folder", "menuitem");
  await app.press("Enter");
  await until("the folder is opened", () => opened()?.includes(project), 20);
  await expectFocusOn(app, ACTIONS, "button");

  await app.press("ArrowDown", "c");
  await expectFocusOn(app, "Copy resume command", "menuitem");
  await app.press("Enter");
  await app.expectText("Copied. Paste it into a terminal");
  await expectClipboard(`cd ${project} && codex resume ${run.id}`);
  await expectFocusOn(app, ACTIONS, "button");
  await app.press("ArrowUp");
  await expectFocusOn(app, "Copy list as Markdown", "menuitem");
  await app.press("Enter");
  await expectClipboard("- [x] Read the notes");

  // The same by its letters, from another card.
  await tabTo(app, /^other · /);
  await app.press("k");
  await expectClipboard("- [x] Read the format page");
  await expectFocusOn(app, /^other · /, "link");
  // And pasted here.
  await app.press("Control+k", "Control+v");
  await until("it is pasted", async () =>
    (await app.browser.execute(() => (document.activeElement as HTMLInputElement).value)).includes(
      "Add the tests",
    ),
  );
  await app.press("Escape");
  await expectFocusOn(app, /^other · /, "link");
  expect(opened()).toContain(project);
  await other.close();
});
