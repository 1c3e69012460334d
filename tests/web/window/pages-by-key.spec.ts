// Going around in the real window with the keyboard alone, and the map of its keys.
import { until } from "../parts/process.ts";
import type { AppWindow } from "./app.ts";
import { beginAtStep, beginWithTwo } from "./begun.ts";
import { expectAt, expectFocusOn, tabTo, wordsOf } from "./focus.ts";
import { expect, test } from "./test.ts";

const PAGES = [
  { name: "Settings", at: "#/settings", chords: ["g s", "Control+,"] },
  { name: "Needs you", at: "#/needs", chords: ["g e", "Control+2"] },
  { name: "History", at: "#/history", chords: ["g h", "Control+3"] },
  { name: "Agents", at: "#/agents", chords: ["g a", "Control+4"] },
  { name: "Now", at: "#/", chords: ["g n", "Control+1"] },
];

test("keys lead to every page, to its heading, and back to where one was", async ({ open, folder }) => {
  const app = await open();
  const agents = await beginWithTwo(app, folder);
  for (const turn of [0, 1]) {
    for (const { name, at, chords } of PAGES) {
      await app.press(chords[turn]!);
      await expectAt(app, at);
      await expectFocusOn(app, name, "heading");
    }
  }

  // From session to session, into its fields, and out again.
  await app.press("]");
  await app.expectText("Add a step");
  const [one] = [await app.browser.execute(() => location.hash)];
  await app.press("]");
  await until("it is the other", async () => (await app.browser.execute(() => location.hash)) !== one);
  await app.press("[");
  await expectAt(app, one);
  await app.press("n");
  await expectFocusOn(app, "Add a step", "textbox");
  await app.write("gn]?");
  expect(await app.browser.execute(() => (document.activeElement as HTMLInputElement).value)).toBe("gn]?");
  await expectAt(app, one);
  await app.press("Control+a", "Backspace", "Escape");
  await app.press("t");
  await expectFocusOn(app, "Tell the agent", "textbox");
  await app.press("Escape", "Escape");
  await expectAt(app, "#/");
  await expectFocusOn(app, /^(first|second) · /, "link");
  expect(await app.browser.execute(() => document.activeElement?.getAttribute("href"))).toBe(one);

  // The first stop leads past the rail.
  await app.press("g n");
  await tabTo(app, "Skip to content", "Shift+Tab");
  await app.press("Enter");
  await expectFocusOn(app, "Now", "heading");
  for (const agent of agents) await agent.close();
});

/** Scroll offset of the map, and the largest that it can have. */
async function scrolled(app: AppWindow): Promise<{ at: number; most: number }> {
  return app.browser.execute(() => {
    const map = document.querySelector("[role=dialog] [role=group]")!;
    return { at: map.scrollTop, most: map.scrollHeight - map.clientHeight };
  });
}

test("the map of the keyboard is opened, read to its end and left, and the focus is where it was", async ({
  open,
  folder,
}) => {
  const app = await open();
  const agent = await beginAtStep(app, folder);
  // Larger, as whoever needs it has it: so that it does not fit.
  for (let step = 0; step < 8; step++) await app.press("Control+=");

  await app.press("?");
  await expectFocusOn(app, "Keyboard", "group");
  const said = (await wordsOf(app, "[role=dialog]")).join("\n");
  for (const words of ["Change its status", "Find anything", "Pin it, or unpin it", "Quit Sightline"]) {
    expect(said).toContain(words);
  }
  const { most } = await scrolled(app);
  expect(most, "it is longer than the window").toBeGreaterThan(0);
  await app.press("End");
  await until("its end is seen", async () => (await scrolled(app)).at >= most - 1);
  await app.press("Home");
  await until("its beginning is seen", async () => (await scrolled(app)).at < 1);
  await app.press("PageDown");
  await until("it goes on by a page", async () => (await scrolled(app)).at > 0);
  // Keys of what lies behind do nothing there.
  await app.press("Delete", "Escape");
  await app.browser.$("[role=dialog]").waitForExist({ reverse: true });
  await app.expectFocus("3");
  await app.expectRows(["Read the format page", "Fixing the parser", "Add the tests"]);

  await app.press("Control+/");
  await expectFocusOn(app, "Keyboard", "group");
  await tabTo(app, "Close", "Shift+Tab");
  await app.press("Enter");
  await app.browser.$("[role=dialog]").waitForExist({ reverse: true });
  await app.expectFocus("3");
  await app.press("Control+0");
  await agent.close();
});
