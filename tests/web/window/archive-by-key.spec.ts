// The archive in the real window, by keys alone: narrowed, taken out, brought back, and read as text.
import { Agent, type Todo } from "../parts/agent.ts";
import type { Runtime } from "../parts/gateway.ts";
import { until } from "../parts/process.ts";
import type { AppWindow } from "./app.ts";
import { expectAt, expectFocusKept, expectFocusOn, expectWords, tabTo, wordsOf } from "./focus.ts";
import { expect, test } from "./test.ts";

const LINES = 'main [role="list"][aria-label="Lists"] [data-line]';

async function written(runtime: Runtime, name: string, todos: Todo[]): Promise<void> {
  const agent = await Agent.connect(runtime, name, `the list of ${name}`);
  await agent.write(todos);
  await agent.close();
}

const write = {
  grinder: (runtime: Runtime) =>
    written(runtime, "grinder", [{ content: "Grind the glass", status: "completed" }]),
  polisher: (runtime: Runtime) =>
    written(runtime, "polisher", [{ content: "Polish the lens", status: "in_progress" }]),
};

/** Goes there from Now, where the newest list is by then. */
async function openHistory(app: AppWindow, newest: string, lines: number): Promise<void> {
  await app.card(newest).waitForExist();
  await app.press("g h");
  await expectAt(app, "#/history");
  await expectLines(app, lines);
}

/** Waits until there are so many lines; says what the page shows instead. */
async function expectLines(app: AppWindow, lines: number): Promise<void> {
  let seen: string[] = [];
  await until(
    `there are ${lines} lists`,
    async () => (seen = await wordsOf(app, LINES)).length === lines,
    20,
  ).catch(async (error: Error) => {
    const [page] = await wordsOf(app, "main");
    throw new Error(`${error.message}; there are ${JSON.stringify(seen)}, and the page says\n${page}`);
  });
}

test("it is narrowed by agent and by what is left, and every step leads back", async ({ open, folder }) => {
  const app = await open();
  const runtime = await folder.gateway();
  await write.grinder(runtime);
  await write.polisher(runtime);
  await openHistory(app, "polisher", 2);
  await tabTo(app, "Agent");
  await app.press("g");
  await expectAt(app, "#/history?agent=grinder");
  await expectWords(app, LINES, ["the list of grinder"]);
  await tabTo(app, "Unfinished");
  await app.press("Space");
  await expectAt(app, "#/history?agent=grinder&unfinished");
  await app.expectText("Nothing found");

  await app.browser.back();
  await expectWords(app, LINES, ["the list of grinder"]);
  await app.browser.forward();
  await app.expectText("Nothing found");
  await tabTo(app, "Show all lists");
  await app.press("Enter");
  await expectAt(app, "#/history");
  await expectFocusOn(app, "Search every list", "textbox");
  await expectLines(app, 2);
});

test("a list is deleted, brought back in two ways, and deleted for good", async ({ open, folder }) => {
  const app = await open();
  const runtime = await folder.gateway();
  await write.grinder(runtime);
  await openHistory(app, "grinder", 1);
  await app.press("ArrowDown", "Delete");
  await expectWords(app, LINES, []);
  await expectFocusKept(app, "the only list is deleted");
  await tabTo(app, "Undo");
  await app.press("Enter");
  await expectWords(app, LINES, ["the list of grinder"]);

  await tabTo(app, /^grinder · /);
  await app.press("Delete");
  await expectWords(app, LINES, []);
  await tabTo(app, "Recently deleted");
  await app.press("Space");
  await expectAt(app, "#/history?deleted");
  await expectWords(app, LINES, ["the list of grinder"]);
  await tabTo(app, "Restore");
  await app.press("Enter");
  await app.expectText("Nothing deleted recently");
  await expectFocusKept(app, "the only deleted list is brought back");
  await tabTo(app, "Recently deleted");
  await app.press("Space");
  await expectAt(app, "#/history");
  await expectWords(app, LINES, ["the list of grinder"]);

  await tabTo(app, /^grinder · /);
  await app.press("Delete");
  await expectWords(app, LINES, []);
  await tabTo(app, "Recently deleted");
  await app.press("Space");
  await expectWords(app, LINES, ["the list of grinder"]);
  await tabTo(app, /^grinder · /);
  await app.press("Delete");
  await app.expectText("permanently?");
  await app.press("Escape");
  await app.browser.$("[role=dialog]").waitForExist({ reverse: true });
  await expectWords(app, LINES, ["the list of grinder"]);
  await app.press("Delete");
  await tabTo(app, "Delete permanently");
  await app.press("Enter");
  await app.expectText("Nothing deleted recently");
  const left = (await app.invoke("session_list", {})) as { sessions: unknown[] };
  expect(left.sessions).toEqual([]);
});

test("a hit is marked, and what stands around it is text, whatever it looks like", async ({
  open,
  folder,
}) => {
  const app = await open();
  const content = `Polish <b>the lens</b> <img src=x onerror="window.owned = 1">`;
  await written(await folder.gateway(), "polisher", [{ content, status: "in_progress" }]);
  await openHistory(app, "polisher", 1);
  await app.press("/");
  await app.write("lens");
  await expectWords(app, "main mark", ["lens"]);
  expect(await wordsOf(app, LINES)).toEqual([content]);
  await app.press("ArrowDown");
  await expectFocusOn(app, /<b>the lens<\/b> <img src=x/, "link");
  const made = await app.browser.execute(() => ({
    elements: document.querySelectorAll("main img, main b:not(.num)").length,
    owned: "owned" in window,
  }));
  expect(made).toEqual({ elements: 0, owned: false });
  await app.press("Enter");
  await app.expectRows([content]);
});
