// The window's own menus on right click: of a row, of a session in the rail, of selected text, of a field.
import { Agent } from "../parts/agent.ts";
import { STORY } from "../parts/story.ts";
import type { ChainablePromiseElement } from "webdriverio";
import type { AppWindow } from "./app.ts";
import { expectClipboard } from "./clipboard.ts";
import { expectFocusOn } from "./focus.ts";
import { clickAt } from "./screen.ts";
import { expect, test } from "./test.ts";

const RIGHT = 3;
const MENU = "[role=menu]";

/** With the mouse itself: to the page a driver's right button comes up as the left one. */
async function rightClick(app: AppWindow, at: ChainablePromiseElement): Promise<void> {
  await at.waitForExist();
  const { x, y } = await at.getLocation();
  const { width, height } = await at.getSize();
  await clickAt(RIGHT, Math.round(x + width / 2), Math.round(y + height / 2));
}

/** Notes whether the web view's own menu is kept shut; the window that hears it last has it. */
async function noteMenus(app: AppWindow): Promise<void> {
  await app.browser.execute(() => {
    addEventListener("contextmenu", ({ defaultPrevented }) => {
      document.body.dataset["native"] = defaultPrevented ? "shut" : "open";
    });
  });
}

const native = (app: AppWindow): Promise<string | undefined> =>
  app.browser.execute(() => document.body.dataset["native"]);

/** Waits for a menu of that name, all of which is on the screen. */
async function expectMenu(app: AppWindow, name: string): Promise<void> {
  const menu = app.browser.$(`${MENU}[aria-label="${name}"]`);
  await menu.waitForDisplayed();
  const isWhole = await app.browser.execute((found) => {
    const { left, top, right, bottom } = document.querySelector(found)!.getBoundingClientRect();
    return left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight;
  }, MENU);
  expect(isWhole, "all of it is on the screen").toBe(true);
}

async function expectNoMenu(app: AppWindow): Promise<void> {
  await app.browser.$(MENU).waitForExist({ reverse: true });
}

test("a right click on a step opens its own menu, and so does the menu key", async ({ open, folder }) => {
  const app = await open();
  const agent = await Agent.connect(await folder.gateway(), "other");
  await agent.write(STORY);
  await app.openSession("other");
  await noteMenus(app);

  await rightClick(app, app.row(2));
  await expectMenu(app, "Actions for Fix the parser");
  expect(await native(app)).toBe("shut");
  await app.press("Escape");
  await expectNoMenu(app);
  await app.expectFocus("2");

  await app.press("Shift+F10");
  await expectMenu(app, "Actions for Fix the parser");
  await expectFocusOn(app, "Status", "menuitem");
  await app.press("ArrowRight");
  await expectFocusOn(app, /.+/, "menuitemradio");
  await app.press("ArrowLeft", "ArrowUp");
  await expectFocusOn(app, "Delete step", "menuitem");
  await app.press("Enter");
  await app.expectText("Undo");
  await expectNoMenu(app);

  await rightClick(app, app.row(1));
  await app.browser.$("aria/Insert step below").click();
  await expectFocusOn(app, "Insert a step at 2");
  await app.type("between");
  await app.expectRow(2, "between");
  await agent.close();
});

test("a session in the rail has the menu of its card, selected text one to copy, and a field one to paste", async ({
  open,
  folder,
}) => {
  const app = await open();
  const agent = await Agent.connect(await folder.gateway(), "other");
  await agent.write(STORY);
  await app.card("other").waitForExist();
  await noteMenus(app);

  const entry = app.browser.$('[aria-label="Current sessions"] a');
  await rightClick(app, entry);
  await expectFocusOn(app, /^Actions for /, "menu");
  expect(await native(app)).toBe("shut");
  await app.browser.$("aria/Pin").click();
  await app.browser.$('main [title="Pinned"]').waitForExist();

  const heading = app.browser.$("main h1");
  await app.browser.execute(() => getSelection()?.selectAllChildren(document.querySelector("main h1")!));
  await rightClick(app, heading);
  await expectMenu(app, "Selected text");
  expect(await native(app)).toBe("shut");
  await app.browser.$("aria/Copy").click();
  await expectClipboard("Now");
  expect(await app.browser.execute(() => String(getSelection()))).toContain("Now");

  await app.openSession("other");
  const field = app.named("Add a step");
  await rightClick(app, field);
  await expectMenu(app, "Text of the field");
  expect(await native(app)).toBe("shut");
  await app.browser.$("aria/Paste").click();
  await expect.poll(() => field.getValue()).toBe("Now");
  await expectFocusOn(app, "Add a step");
  await app.press("Control+a", "Shift+F10");
  await expectMenu(app, "Text of the field");
  expect(await native(app)).toBe("shut");
  await app.browser.$("aria/Cut").click();
  await expect.poll(() => field.getValue()).toBe("");
  await expectClipboard("Now");
  await agent.close();
});
