// The board in the real window with the keyboard alone: from card to card, and everything that can be done to one.
import { Agent } from "../parts/agent.ts";
import { Run } from "../parts/codex-run.ts";
import { expectAt, expectFocusOn, expectWords, tabTo } from "./focus.ts";
import { test } from "./test.ts";

const CARDS = "main article h2";

test("arrow keys go from card to card, letters pin and mute, and muting is taken back", async ({
  open,
  folder,
}) => {
  const app = await open();
  const runtime = await folder.gateway();
  const agents: Agent[] = [];
  for (const name of ["one", "two", "three", "four", "five"]) {
    const agent = await Agent.connect(runtime, name);
    await agent.write([{ content: `Work of ${name}`, status: "in_progress" }, { content: "Wrap it up" }]);
    agents.push(agent);
    await app.card(name).waitForExist();
  }
  const [ONE, TWO, FOUR, FIVE] = [/^one · /, /^two · /, /^four · /, /^five · /];
  // In three columns, the youngest first: five, four, three; two, one.
  await tabTo(app, FIVE);
  await app.press("ArrowDown");
  await expectFocusOn(app, TWO, "link");
  await app.press("ArrowRight");
  await expectFocusOn(app, ONE, "link");
  await app.press("ArrowUp");
  await expectFocusOn(app, FOUR, "link");
  await app.press("ArrowLeft");
  await expectFocusOn(app, FIVE, "link");
  await app.press("ArrowDown", "ArrowRight", "Enter");
  await expectAt(app, /^#\/session\//);
  await app.expectRow(1, "Work of one");
  await app.press("Escape");
  await expectAt(app, "#/");

  await tabTo(app, ONE);
  await app.press("p");
  const names = ["one", "five", "four", "three", "two"].map((name) => `Work of ${name}`);
  await expectWords(app, CARDS, names);
  await expectFocusOn(app, ONE, "link");
  await app.press("p");
  await expectWords(app, CARDS, [...names.slice(1), names[0]!]);
  await expectFocusOn(app, ONE, "link");
  await app.press("m");
  await expectWords(app, CARDS, names.slice(1));
  await app.expectText("is muted. No notifications about it.");
  await tabTo(app, "Undo");
  await app.press("Enter");
  await expectWords(app, CARDS, [...names.slice(1), names[0]!]);

  // A muted run is found again below the board.
  await tabTo(app, ONE);
  await app.press("m");
  await expectWords(app, CARDS, names.slice(1));
  await tabTo(app, /^Muted/);
  await app.press("Enter");
  await tabTo(app, ONE);
  await app.press("m");
  await expectWords(app, CARDS, [...names.slice(1), names[0]!]);
  for (const agent of agents) await agent.close();
});

test("what rests is dismissed, and comes back", async ({ open, folder }) => {
  const app = await open();
  const runtime = await folder.gateway();
  const [api, docs] = [new Run(runtime, 1, "billing-api"), new Run(runtime, 2, "docs")];
  for (const run of [docs, api]) {
    await run.begin();
    await run.plan([{ step: "Look around", status: "in_progress" }]);
    await run.rest();
  }
  const both = ["billing-api", "docs"];
  await expectWords(app, CARDS, both);
  await tabTo(app, /^codex · billing-api/);
  await app.press("x");
  await expectWords(app, CARDS, both.slice(1));
  await app.expectText("is off the board until it is active again");
  await tabTo(app, "Undo");
  await app.press("Enter");
  await expectWords(app, CARDS, both);
  await tabTo(app, /^codex · billing-api/);
  await app.press("x");
  await expectWords(app, CARDS, both.slice(1));
  await api.begin();
  await expectWords(app, CARDS, both);
});
