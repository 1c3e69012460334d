// The real window looks as it was last looked at: the pages of a demo that stands still.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DataFolder } from "../parts/gateway.ts";
import { until } from "../parts/process.ts";
import { alike, type Alike, FONTS, MOMENT, putAlike } from "../pictures/still.ts";
import type { AppWindow } from "./app.ts";
import { appWindow } from "./screen.ts";
import { expect, test } from "./test.ts";

/** A desktop whose user wants nothing to move. */
function calm(folder: DataFolder): void {
  const settings = join(folder.home, ".config/gtk-3.0");
  mkdirSync(settings, { recursive: true });
  writeFileSync(join(settings, "settings.ini"), "[Settings]\ngtk-enable-animations=0\ngtk-cursor-blink=0\n");
}

/** The page's clock stands still from now on, and whoever shows the time looks at it. */
function stopClock(moment: string): void {
  const at = Date.parse(moment);
  window.Date = class extends Date {
    constructor(...given: unknown[]) {
      super(...((given.length > 0 ? given : [at]) as [number]));
    }
    static override now(): number {
      return at;
    }
  } as DateConstructor;
  document.dispatchEvent(new Event("visibilitychange"));
}

/** Pictures in a row that are the same, and the pause between them: a scroll bar that was shown has faded by then. */
const SAME = 5;
const PAUSE = 500;

/** The picture, when several in a row are the same. */
async function still(app: AppWindow, words: Alike[]): Promise<Buffer> {
  let [last, same] = ["", 0];
  // An element that was clicked is not to look pointed at.
  await app.browser.action("pointer").move({ x: 0, y: 0 }).perform();
  return until("the window stands still", async () => {
    await app.browser.execute(putAlike, words);
    const before = last;
    last = await app.browser.takeScreenshot();
    same = last === before ? same + 1 : 0;
    await app.browser.pause(PAUSE);
    return same >= SAME && Buffer.from(last, "base64");
  });
}

test("the window looks as it was looked at", async ({ open, folder }) => {
  calm(folder);
  const app = await open({ ...FONTS, TZ: "UTC" }, folder, ["--demo=typical", "--still-at", MOMENT]);
  const card = app.browser.$('main a[aria-label^="claude · sightline, "]');
  await card.waitForClickable();
  await app.browser.execute(stopClock, MOMENT);
  const words = alike(folder, (await folder.gateway()).port);
  const look = async (name: string): Promise<void> => {
    expect.soft(await still(app, words)).toMatchSnapshot(`${name}.png`);
  };
  await look("now");

  await card.click();
  await app.named("Add a step").waitForExist();
  await app.expectText("Fixing the token parser");
  await look("session");

  await app.browser.execute(() => (location.hash = "#/needs"));
  await app.browser.$("main h1").waitForExist();
  await app.expectText("Needs you");
  await look("needs");

  await app.press("g c");
  await until("the window is a strip", async () => (await appWindow())?.width === 320);
  await app.expectText("needs you");
  await look("compact");
});
