// Connecting an agent in the real window, what it keeps for itself, and the lists in its old transcripts.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { DataFolder } from "../parts/gateway.ts";
import { until } from "../parts/process.ts";
import type { AppWindow } from "./app.ts";
import { expect, test } from "./test.ts";

const RECORDINGS = resolve(import.meta.dirname, "../../../crates/sources/tests/recordings");
const ROLLOUT =
  ".codex/sessions/2026/11/21/rollout-2026-11-21T01-04-20-01a1fba2-0162-7a30-8658-3a5d40048baf.jsonl";

function recorded(
  folder: DataFolder,
  text = readFileSync(join(RECORDINGS, "codex/rollout.jsonl"), "utf8"),
): void {
  const file = join(folder.home, ROLLOUT);
  mkdirSync(resolve(file, ".."), { recursive: true });
  writeFileSync(file, text);
}

async function said(app: AppWindow, text: string | RegExp): Promise<void> {
  await until(`the window says ${text}`, async () => {
    const all = await app.browser.$("main").getText();
    return typeof text === "string" ? all.includes(text) : text.test(all);
  });
}

test("an agent is connected and tested in the window, and its own list is seen", async ({ open, folder }) => {
  const programs = join(folder.root, "bin");
  mkdirSync(programs);
  writeFileSync(join(programs, "codex"), "#!/bin/sh\necho 'codex-cli 0.152.0'\n", { mode: 0o755 });
  const app = await open({ PATH: `${programs}:${process.env.PATH}` });
  await app.browser.$('nav a[href="#/agents"]').click();
  await said(app, "0.152.0");
  await app.named("Connect Codex").click();
  await said(app, "[mcp_servers.sightline]");
  expect(
    existsSync(join(folder.home, ".codex/config.toml")),
    "nothing is written before it is asked for",
  ).toBe(false);
  await app.browser.$("button=Apply").click();
  await said(app, /the test list arrived after \d+ ms/);
  expect(readFileSync(join(folder.home, ".codex/config.toml"), "utf8")).toContain("[mcp_servers.sightline]");

  // The file that Codex writes for itself, as of now.
  const recording = readFileSync(join(RECORDINGS, "codex/rollout.jsonl"), "utf8");
  const begun = Date.parse(/"timestamp":"([^"]+)"/.exec(recording)?.[1] ?? "");
  const now = Date.now() - 5_000;
  const shifted = recording.replace(/"timestamp":"([^"]+)"/g, (_, at: string) => {
    return `"timestamp":"${new Date(now + Date.parse(at) - begun).toISOString()}"`;
  });
  recorded(folder, shifted);
  await app.browser.$('nav a[href="#/"]').click();
  await app.card("codex").waitForExist();
  await said(app, "built-in list (update_plan)");
});

test("the lists in old transcripts are there from the first start on", async ({ open, folder }) => {
  recorded(folder);
  const app = await open();
  await said(app, "Earlier");
  await app.browser.$('nav a[href="#/agents"]').click();
  await said(app, /1 of 1|1 transcript/);
});
