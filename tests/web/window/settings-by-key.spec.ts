// Settings in the real window with the keyboard alone: each kind of control, and what is refused says why.
import { until } from "../parts/process.ts";
import { Socket } from "../parts/socket.ts";
import type { AppWindow } from "./app.ts";
import { expectFocusOn, tabTo } from "./focus.ts";
import { expectAlert, toSettings } from "./settings.ts";
import { expect, test } from "./test.ts";

/** The value of the control that has the focus. */
async function value(app: AppWindow): Promise<string> {
  return app.browser.execute(() => {
    const at = document.activeElement as HTMLInputElement;
    return at.getAttribute("aria-checked") ?? at.value;
  });
}

test("every kind of control is set, applies at once, and refuses what cannot be", async ({
  open,
  folder,
}) => {
  const app = await open();
  const user = await Socket.open(await folder.gateway());
  const kept = async (setting: string, wanted: unknown): Promise<void> => {
    let seen: unknown;
    await until(`${setting} is ${String(wanted)}`, async () => {
      seen = (await user.ask("settings.get"))[setting];
      return seen === wanted;
    }).catch((error: Error) => {
      throw new Error(`${error.message}; it is ${JSON.stringify(seen)}`);
    });
  };
  await toSettings(app);

  // A choice.
  const ground = (): Promise<string> =>
    app.browser.execute(() => getComputedStyle(document.body).backgroundColor);
  await tabTo(app, "System");
  await app.press("ArrowRight");
  await expectFocusOn(app, "Light", "radio");
  const light = await ground();
  await app.press("ArrowRight");
  await expectFocusOn(app, "Dark", "radio");
  await until("the page is dark", async () => (await ground()) !== light);
  await app.press("ArrowLeft");
  await until("the page is light", async () => (await ground()) === light);

  // A switch.
  await tabTo(app, "When a session is over");
  const before = await value(app);
  await app.press("Space");
  await until("it is switched", async () => (await value(app)) !== before);
  await kept("notifyFinished", before !== "true");

  // Times of the day, typed, and counted by the arrow keys.
  await tabTo(app, "Quiet hours");
  await app.press("Space");
  await kept("quietFrom", "22:00");
  await tabTo(app, "When a session is over", "Shift+Tab");
  await tabTo(app, /^from/);
  await app.press("Control+a");
  await app.type("25");
  await expectAlert(app, "Enter a time such as");
  expect(await value(app), "it stays, to be mended").toBe("25");
  await app.press("Control+a");
  await app.type("21:15");
  await expectAlert(app, undefined);
  await kept("quietFrom", "21:15");
  await app.press("ArrowUp");
  await kept("quietFrom", "21:30");

  // A number.
  await tabTo(app, "Stale after");
  await app.press("Control+a");
  await app.type("0");
  await expectAlert(app, "from 1 to 1,440");
  expect(await value(app), "it stays, to be mended").toBe("0");
  await app.press("Control+a");
  await app.type("45");
  await expectAlert(app, undefined);
  await kept("staleMinutes", 45);
  await app.press("ArrowUp");
  await kept("staleMinutes", 46);

  // A text.
  await tabTo(app, "Editor");
  const long = "x".repeat(501);
  await app.type(long);
  await expectAlert(app, "at most 500 characters");
  expect(await value(app), "it stays, to be mended").toBe(long);
  await kept("editor", "");
  await app.press("Escape");
  await expectAlert(app, undefined);
  expect(await value(app)).toBe("");
  await app.type("code -n");
  await kept("editor", "code -n");
  user.close();
});
