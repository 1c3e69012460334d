// The command palette in the real window with the keyboard alone: what is found, what is done, and its commands.
import { contents } from "../parts/agent.ts";
import { until } from "../parts/process.ts";
import type { AppWindow } from "./app.ts";
import { beginAtStep, beginWithTwo } from "./begun.ts";
import { expectAt, expectFocusOn, expectWords, tabTo } from "./focus.ts";
import { expect, test } from "./test.ts";

const OPTIONS = "[role=option]";

/** Opens the palette, and asks for something; it is the first that is found. */
async function find(app: AppWindow, letters: string, first: string): Promise<void> {
  await app.press("Control+k");
  await expectFocusOn(app, "Find anything", "combobox");
  await app.write(letters);
  await until(`${first} is found by ${letters}`, async () => {
    const [marked] = await app.browser.execute(() =>
      [...document.querySelectorAll<HTMLElement>("[role=option][aria-selected=true]")].map(
        (each) => each.innerText,
      ),
    );
    return marked?.includes(first);
  });
}

async function line(app: AppWindow): Promise<string> {
  return app.browser.execute(() => (document.activeElement as HTMLInputElement).value);
}

async function closed(app: AppWindow): Promise<void> {
  await app.browser.$("[role=dialog]").waitForExist({ reverse: true });
}

test("a session, a step, a page and an action are found and taken", async ({ open, folder }) => {
  const app = await open();
  const agents = await beginWithTwo(app, folder);

  await find(app, "wrap", "Wrap it up");
  await app.press("Enter");
  await closed(app);
  await app.expectFocus("3");
  await app.expectRows(["Draw the plan", "Polish the lens", "Wrap it up"]);

  await find(app, "read format", "Read the format page");
  await app.press("Enter");
  await app.expectRow(2, "Fixing the parser");
  await expectFocusOn(app, "Read the format page", "heading");

  await find(app, "sttngs", "Settings");
  await app.press("Enter");
  await expectAt(app, "#/settings");
  await expectFocusOn(app, "Settings", "heading");

  // The marked entry goes with the arrows, and the focus stays in the line.
  await app.press("Control+k");
  await app.write("colours");
  await app.browser.$(OPTIONS).waitForExist();
  const marked = (): Promise<string> =>
    app.browser.execute(() => {
      const id = document.activeElement!.getAttribute("aria-activedescendant")!;
      return document.getElementById(id)!.innerText;
    });
  const before = await marked();
  await app.press("ArrowDown");
  expect(await marked()).not.toBe(before);
  await app.press("ArrowUp");
  expect(await marked()).toBe(before);
  await app.press("Escape");
  await closed(app);
  await expectFocusOn(app, "Settings", "heading");
  await find(app, "dark col", "Dark colours");
  await app.press("Enter");
  await until("it is dark", () =>
    app.browser.execute(() => document.documentElement.dataset["theme"] === "dark"),
  );

  // About the card that has the focus.
  await app.press("g n");
  await tabTo(app, /^first · /);
  await find(app, "pin", "Pin");
  await app.press("Enter");
  await expectWords(app, "main article h2", ["Read the format page", "Draw the plan"]);
  for (const agent of agents) await agent.close();
});

test("commands are typed, completed, repeated and refused, and the focus goes back", async ({
  open,
  folder,
}) => {
  const app = await open();
  const agent = await beginAtStep(app, folder);

  await app.press("Control+k");
  await app.type("/todo add last Wrap it up");
  await app.expectText('Added TODO at position last: "Wrap it up"');
  await expectFocusOn(app, "Command", "combobox");
  // Tab completes.
  await app.write("del");
  await app.press("Tab");
  await until("it is completed", async () => /^(\/todo )?delete $/.test(await line(app)));
  await app.type("9");
  await app.expectText("Error: Position 9 does not exist");
  expect(await line(app), "what is refused stays, to be mended").toContain("delete 9");
  await app.press("Backspace");
  await app.type("1");
  await app.expectText('Deleted TODO at 1: "Read the format page"');
  // Text typed before comes back.
  await app.press("ArrowUp", "ArrowUp");
  await until("it is the one before", async () => (await line(app)).includes("add last Wrap it up"));
  await app.press("Escape");
  await closed(app);
  await app.expectRows(["Fixing the parser", "Add the tests", "Wrap it up"]);
  await app.expectFocus("2");
  expect(contents((await agent.read()).todos)).toEqual(["Fix the parser", "Add the tests", "Wrap it up"]);
  await agent.close();
});
