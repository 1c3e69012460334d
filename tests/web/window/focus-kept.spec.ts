// Whatever is done with the keyboard in the real window, the focus is on something afterwards, and not lost.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Run } from "../parts/codex-run.ts";
import { until } from "../parts/process.ts";
import type { AppWindow } from "./app.ts";
import { beginAtStep } from "./begun.ts";
import { expectFocusKept, expectFocusOn, expectWords, tabTo } from "./focus.ts";
import { expect, test } from "./test.ts";

const CARDS = "main article h2";
const PLAN = [{ step: "Look around", status: "in_progress" as const }];

/** The next one is looked at as well, where this one loses it. */
async function kept(app: AppWindow, after: string): Promise<void> {
  const lost = await expectFocusKept(app, after).catch((error: Error) => error.message);
  expect.soft(lost, `the focus is kept after ${after}`).toBeUndefined();
}

async function takeBack(app: AppWindow): Promise<void> {
  await tabTo(app, "Undo");
  await app.press("Enter");
}

test("on the board", async ({ open, folder }) => {
  const app = await open();
  const runtime = await folder.gateway();
  const [api, docs] = [new Run(runtime, 1, "api"), new Run(runtime, 2, "docs")];
  for (const run of [docs, api]) {
    await run.begin();
    await run.plan(PLAN);
    await run.rest();
  }
  await expectWords(app, CARDS, ["api", "docs"]);
  await tabTo(app, /^codex · api/);
  await app.press("x");
  await expectWords(app, CARDS, ["docs"]);
  await kept(app, "a card is dismissed");
  await takeBack(app);
  await expectWords(app, CARDS, ["api", "docs"]);
  await kept(app, "a dismissed card is brought back");

  await tabTo(app, /^codex · docs/);
  await app.press("m");
  await expectWords(app, CARDS, ["api"]);
  await kept(app, "a card is muted");
  await tabTo(app, "Close message");
  await app.press("Enter");
  await app.browser.$(".toast").waitForExist({ reverse: true });
  await kept(app, "a message is closed");
  await tabTo(app, /^Muted/);
  await app.press("Enter");
  await tabTo(app, /^codex · docs/);
  await app.press("m");
  await expectWords(app, CARDS, ["api", "docs"]);
  await kept(app, "the last muted one is unmuted");

  await tabTo(app, "Actions for docs");
  await app.press("Enter");
  await expectFocusOn(app, "Pin", "menuitem");
  await app.press("Enter");
  await expectWords(app, CARDS, ["docs", "api"]);
  await kept(app, "a card is pinned by its menu");
  await tabTo(app, "Actions for api");
  await app.press("Enter", "d");
  await expectFocusOn(app, "Dismiss", "menuitem");
  await app.press("Enter");
  await expectWords(app, CARDS, ["docs"]);
  await kept(app, "a card is dismissed by its menu");
});

test("in a list", async ({ open, folder }) => {
  const app = await open();
  const agent = await beginAtStep(app, folder);
  await app.press("Delete");
  await app.expectRows(["Read the format page", "Fixing the parser"]);
  await kept(app, "the last step is removed");
  await app.expectFocus("2");
  await tabTo(app, "Clear list", "Shift+Tab");
  await app.press("Enter");
  await app.expectRows([]);
  await kept(app, "the list is cleared");
  await tabTo(app, "Restore the list");
  await app.press("Enter");
  await app.expectRows(["Read the format page", "Fixing the parser"]);
  await kept(app, "the list is brought back");

  await expectFocusOn(app, "Add a step", "textbox");
  await app.press("ArrowUp");
  await app.expectFocus("2");
  for (const left of [["Read the format page"], []]) {
    await app.press("Delete");
    await app.expectRows(left);
    await kept(app, left.length > 0 ? "a step is removed" : "the only step is removed");
  }
  await agent.write([{ content: "Begin anew", status: "in_progress" }]);
  await agent.close();
});

test("while agents are connected and disconnected", async ({ open, folder }) => {
  const programs = join(folder.root, "bin");
  mkdirSync(programs);
  writeFileSync(join(programs, "codex"), "#!/bin/sh\necho 'codex-cli 0.152.0'\n", { mode: 0o755 });
  const app = await open({ PATH: `${programs}:${process.env.PATH}` });
  await app.expectText("0.152.0");
  await tabTo(app, "Connect Codex");
  await app.press("Enter");
  await expectFocusOn(app, "Connect Codex", "heading");
  await tabTo(app, "Apply");
  await app.press("Enter");
  await app.expectText("The test passed.");
  await kept(app, "an agent is connected by key");

  await app.press("g a");
  await app.expectText("0.152.0");
  await tabTo(app, "More for Codex");
  await app.press("ArrowUp");
  await expectFocusOn(app, "Disconnect", "menuitem");
  await app.press("Enter");
  await expectFocusOn(app, "Disconnect Codex", "heading");
  await tabTo(app, "Apply");
  await app.press("Enter");
  await expectFocusOn(app, /^Codex is disconnected/, "heading");
  await tabTo(app, "Close");
  await app.press("Enter");
  await until("its panel is closed", async () => !(await app.text()).includes("Codex is disconnected"));
  await kept(app, "a panel is closed");
});
