// The real window at 200 %: everything fits as it does at 100 %, and lines are as heavy for their size.
import { isDeepStrictEqual } from "node:util";
import { misfits } from "../pictures/misfits.ts";
import { FONTS, MOMENT } from "../pictures/still.ts";
import { until } from "../parts/process.ts";
import type { AppWindow } from "./app.ts";
import { expect, test } from "./test.ts";

const PAGES = ["#/", "#/needs", "#/history", "#/agents", "#/settings", "#/chat"];

/** The window's width in the page's own units, when it has become that. */
async function expectWidth(app: AppWindow, width: number): Promise<void> {
  const is = async (): Promise<boolean> => {
    const seen = await app.browser.execute(() => innerWidth);
    return Math.abs(seen - width) <= 1;
  };
  await until(`the page is ${width} wide`, is);
}

async function goTo(app: AppWindow, address: string): Promise<void> {
  await app.browser.execute((hash) => (location.hash = hash), address);
  await app.browser.$("main h1").waitForExist();
  await app.browser.$("main").$("h2, li, textarea, [data-line]").waitForExist();
}

/** The share of each icon's box in the rail that is painted, by where it leads, once it is painted as it stays. */
async function weights(app: AppWindow): Promise<[place: string, weight: number][]> {
  let last = await weightsNow(app);
  await until("the rail is painted as it stays", async () => {
    const before = last;
    last = await weightsNow(app);
    return isDeepStrictEqual(last, before);
  });
  return last;
}

async function weightsNow(app: AppWindow): Promise<[place: string, weight: number][]> {
  const picture = await app.browser.takeScreenshot();
  return app.browser.execute(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    const canvas = Object.assign(document.createElement("canvas"), {
      width: image.width,
      height: image.height,
    });
    const drawing = canvas.getContext("2d")!;
    drawing.drawImage(image, 0, 0);
    const scale = image.width / innerWidth;
    const icons = [...document.querySelectorAll("nav a.entry > svg.lucide")];
    const seen = icons.filter((icon) => icon.getBoundingClientRect().width > 0);
    return seen.map((icon): [string, number] => {
      const { left, top, width, height } = icon.getBoundingClientRect();
      const size = Math.round(width * scale);
      const { data } = drawing.getImageData(
        Math.round(left * scale),
        Math.round(top * scale),
        size,
        Math.round(height * scale),
      );
      const light = (at: number): number => data[at]! + data[at + 1]! + data[at + 2]!;
      const ground = light(0);
      const far = Array.from({ length: data.length / 4 }, (_, at) => Math.abs(light(at * 4) - ground));
      // Thin lines are nowhere as dark as their ink.
      drawing.fillStyle = getComputedStyle(icon).color;
      drawing.fillRect(0, 0, 1, 1);
      const ink = drawing.getImageData(0, 0, 1, 1).data;
      const most = Math.abs(ink[0]! + ink[1]! + ink[2]! - ground);
      const share = far.reduce((sum, each) => sum + each / most, 0) / far.length;
      return [icon.closest("a")!.hash, share];
    });
  }, picture);
}

test("at 200 % everything fits, and icons keep their weight", async ({ open, folder }) => {
  const app = await open({ ...FONTS, TZ: "UTC" }, folder, ["--demo=typical", "--still-at", MOMENT]);
  await app.card("claude").waitForExist();
  const width = await app.browser.execute(() => innerWidth);
  await goTo(app, "#/settings");
  const before = new Map(await weights(app));
  while ((await app.browser.execute(() => innerWidth)) > width / 2 + 1) {
    const last = await app.browser.execute(() => innerWidth);
    await app.command("window_do", { action: "zoom-in" });
    await until("it is larger", async () => (await app.browser.execute(() => innerWidth)) < last);
  }
  await expectWidth(app, width / 2);
  const after = await weights(app);
  expect(after.length).toBeGreaterThan(4);
  for (const [place, weight] of after) {
    expect(weight / before.get(place)!, `the icon of ${place}`).toBeGreaterThan(0.8);
    expect(weight / before.get(place)!, `the icon of ${place}`).toBeLessThan(1.25);
  }
  const seen: string[] = [];
  for (const address of PAGES) {
    await goTo(app, address);
    for (const one of await app.browser.execute(misfits)) seen.push(`${address}: ${one}`);
  }
  await goTo(app, "#/");
  const session = app.browser.$('main a[aria-label^="claude · sightline, "]');
  await session.waitForExist();
  // The driver clicks where the element would be at 100 %.
  await app.browser.execute((card) => (card as HTMLElement).click(), await session);
  await app.named("Add a step").waitForExist();
  for (const one of await app.browser.execute(misfits)) seen.push(`session: ${one}`);
  expect(seen).toEqual([]);
  await app.command("window_do", { action: "zoom-reset" });
  await expectWidth(app, width);
});
