// The archive in the real window, by keys alone: browsed, searched, travelled, loaded, written to a file.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Agent, contents, type Todo } from "../parts/agent.ts";
import { until } from "../parts/process.ts";
import { expectAt, expectFocusOn, expectWords, tabTo } from "./focus.ts";
import { expect, test } from "./test.ts";

const FIRST: Todo[] = [
  { id: "a", content: "Read the résumé format", status: "completed" },
  { id: "b", content: "Measure the tokenizer", status: "in_progress" },
];
const SECOND: Todo[] = [
  { id: "a", content: "Read the résumé format", status: "completed" },
  { id: "c", content: "Write the report", status: "pending" },
];
const PAST = 'main [aria-label="Steps as they were"] [data-uid] .content';

test("a step of long ago is found, seen where it was, and made the list again", async ({ open, folder }) => {
  const app = await open();
  const agent = await Agent.connect(await folder.gateway(), "archivist");
  await agent.write(FIRST);
  await agent.write(SECOND);
  await app.card("archivist").waitForExist();
  await app.press("g h");
  await expectAt(app, /^#\/history/);
  // Until the page is there, its keys are those of the whole window.
  await app.named("Search every list").waitForExist();
  await app.press("/");
  await expectFocusOn(app, "Search every list", "textbox");
  await app.write("tokeniz");
  await expectWords(app, "main mark", ["tokenizer"]);
  await app.press("Enter");
  await expectAt(app, /[?&]at=1&step=/);
  await expectWords(app, PAST, ["Read the résumé format", "Measure the tokenizer"]);

  await tabTo(app, "Revisions of this list");
  await app.press("End");
  await app.expectRows(["Read the résumé format", "Write the report"]);
  await app.press("Home");
  await tabTo(app, "Restore this version");
  await app.press("Enter");
  await app.expectRows(["Read the résumé format", "Measure the tokenizer"]);
  const told = await agent.write(SECOND);
  expect(contents(told.todos)).toContain("Measure the tokenizer");
  await agent.close();
});

test("a list is picked and written to a file", async ({ open, folder }) => {
  const app = await open();
  const agent = await Agent.connect(await folder.gateway(), "archivist");
  await agent.write(FIRST);
  await agent.close();
  await app.card("archivist").waitForExist();
  await app.press("g h");
  await expectAt(app, /^#\/history/);
  // Until the page is there, its keys are those of the whole window.
  await app.named("Search every list").waitForExist();
  await app.expectText("archivist");
  await app.press("ArrowDown", "x");
  await tabTo(app, "Export");
  await app.press("Enter");
  await expectFocusOn(app, /JSON/, "menuitem");
  await app.press("Enter");
  const places = [folder.home, join(folder.home, "Downloads")];
  const written = (): unknown => {
    const path = places
      .flatMap((place) => (existsSync(place) ? readdirSync(place).map((name) => join(place, name)) : []))
      .find((name) => /sightline-.*\.json$/.test(name));
    try {
      return path && JSON.parse(readFileSync(path, "utf8"));
    } catch {
      // It is there before it is whole.
      return undefined;
    }
  };
  expect(await until("the file is there, and whole", written, 20)).toMatchObject({
    sightline: 1,
    sessions: [{ agent: "archivist", revision: 1 }],
  });
});
