// Runs that need the user, in the real window with the keyboard alone: who waits, who drifts, whose list is off.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Run } from "../parts/codex-run.ts";
import { until } from "../parts/process.ts";
import { expectAt, expectFocusOn, expectWords, tabTo } from "./focus.ts";
import { queue, toQueue } from "./queue.ts";
import { test } from "./test.ts";

/** So many calls without a word on its list are drift. */
const CALLS = 15;
const PLAN = [{ step: "Look around", status: "in_progress" as const }];

test("who waits is gone to, in a terminal where it works", async ({ open, folder }) => {
  const app = await open();
  const runtime = await folder.gateway();
  const [terminal, opened] = [join(folder.root, "a terminal"), join(folder.root, "opened")];
  writeFileSync(terminal, `#!/bin/sh\npwd >'${opened}'\n`, { mode: 0o755 });
  await app.invoke("settings_update", { terminal: `'${terminal}'` });
  const project = join(folder.root, "billing");
  mkdirSync(project);
  const run = await new Run(runtime, 1, project).begin();
  await run.plan(PLAN);
  await run.wait();
  await toQueue(app, "codex");
  await queue(app, ["Waiting for you: approval: Bash"]);
  await tabTo(app, /^Open terminal: codex · billing/);
  await app.press("Enter");
  await until(
    "a terminal opens there",
    () => existsSync(opened) && readFileSync(opened, "utf8").includes(project),
  );
  await app.press("o");
  await expectAt(app, /^#\/session\//);
  await app.press("g e");
  await run.goOn();
  await queue(app, []);
});

test("who drifts is asked for its list, which settles it, and is taken back", async ({ open, folder }) => {
  const app = await open();
  const run = await new Run(await folder.gateway(), 1, "docs").begin();
  await run.plan(PLAN);
  for (let call = 0; call < CALLS; call++) await run.goOn();
  await toQueue(app, "codex");
  await queue(app, ["15 calls since the list changed"]);
  await tabTo(app, /^Dismiss: codex · docs/);
  await app.press("Enter");
  await queue(app, []);
  await tabTo(app, "Undo");
  await app.press("Enter");
  await queue(app, ["15 calls since the list changed"]);
  await tabTo(app, /^Ask for an updated list: codex · docs/);
  await app.press("Enter");
  await app.expectText("docs was asked for its list");
  await queue(app, []);
  await tabTo(app, "Undo");
  await app.press("Enter");
  await queue(app, ["15 calls since the list changed"]);
});

test("an agent whose list is off is connected from there, until it shows a list", async ({
  open,
  folder,
}) => {
  const app = await open();
  const run = await new Run(await folder.gateway(), 1, "docs").begin();
  await toQueue(app, "codex");
  await expectWords(app, "[data-need]", ["No list: its todo tool is off"]);
  await app.press("j");
  await expectFocusOn(app, "Connect: Codex", "button");
  await app.press("Enter");
  await expectAt(app, "#/agents");
  await app.expectText("[mcp_servers.sightline]");
  await tabTo(app, "Cancel");
  await app.press("Enter", "g e");
  await expectWords(app, "[data-need]", ["1 session shows no steps"]);
  await run.plan(PLAN);
  await app.expectText("All clear");
});
