// The keys for everywhere in the real window's settings, set by pressing them on the keyboard itself.
import { until } from "../parts/process.ts";
import { expectFocusOn, tabTo } from "./focus.ts";
import { answered, focusWindow, onScreen, pressKeys } from "./screen.ts";
import { alerts, expectAlert, toSettings } from "./settings.ts";
import { expect, test } from "./test.ts";

const [CONTROL, SHIFT, L, K] = [0xffe3, 0xffe1, 0x6c, 0x6b];

test("the global shortcut is set by pressing it, refused in words, and taken away", async ({
  open,
  folder,
}) => {
  const app = await open();
  await folder.gateway();
  const wish = async (): Promise<string> => {
    const { shortcut } = (await app.command("shell_info")) as { shortcut: { state: string } };
    return shortcut.state;
  };
  const expectWish = async (state: string): Promise<void> => {
    let seen = "";
    await until(`the keys are ${state}`, async () => (seen = await wish()) === state, 20).catch(
      (error: Error) => {
        throw new Error(`${error.message}; they are ${seen}`);
      },
    );
  };
  await toSettings(app);
  await until("the window has the keyboard", async () => {
    await focusWindow();
    return app.browser.execute(() => document.hasFocus());
  });
  await tabTo(app, "Global shortcut None");
  await app.press("Enter");
  await expectFocusOn(app, /Press the keys/, "button");
  // A letter alone would be taken from everybody.
  await pressKeys(L);
  await expectAlert(app, "These keys alone");
  await app.press("Escape");
  await expectFocusOn(app, "Global shortcut None", "button");
  await app.press("Enter");
  await expectFocusOn(app, /Press the keys/, "button");
  await pressKeys(CONTROL, SHIFT, L);
  await expectFocusOn(app, /Ctrl.*Shift.*L/, "button");
  await expectWish("on");
  expect(await alerts(app)).toEqual([]);

  // Keys that another program has already.
  await onScreen(async (screen, root, display) => {
    const { min_keycode: least, max_keycode: most } = display;
    const mapped = await answered<number[][]>((answer) =>
      screen.GetKeyboardMapping(least, most - least, answer),
    );
    const CONTROL_AND_SHIFT = 0b101;
    screen.GrabKey(root, 0, CONTROL_AND_SHIFT, least + mapped.findIndex((of) => of.includes(K)), 1, 1);
    await app.press("Enter");
    await expectFocusOn(app, /Press the keys/, "button");
    await app.press("Control+Shift+k");
    await expectWish("refused");
    await expectAlert(app, "Choose others");
    expect.soft((await alerts(app)).join(), "in words").not.toContain("HotKey {");
  });

  await app.press("Enter", "Backspace");
  await expectFocusOn(app, "Global shortcut None", "button");
  await expectWish("off");
  await expectAlert(app, undefined);
});
