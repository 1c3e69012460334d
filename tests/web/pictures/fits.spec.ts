// Every page fits every screen: nothing is wider than its room, over something else, or cut; only texts that agents
// and users wrote are cut, with the whole one where it leads to.
import { expect, type Page } from "@playwright/test";
import { misfits } from "./misfits.ts";
import { type Demos, type Scene, test } from "./test.ts";

/** From a phone to a wide screen. At 200 % a window of 1,280 is one of 640. */
const WIDTHS = [390, 600, 640, 900, 1_200, 1_500, 2_560];
const HEIGHT = 900;

type Deed = (page: Page) => Promise<unknown>;

const session =
  (project: string): Deed =>
  (page) =>
    page.locator('main a[href^="#/session/"]', { hasText: project }).first().click();

const SHOWN: [Scene, string, string, Deed?][] = [
  ["typical", "Now", "#/"],
  ["typical", "Needs you", "#/needs"],
  ["typical", "Agents", "#/agents"],
  ["typical", "Settings", "#/settings"],
  ["typical", "strip", "#/compact"],
  ["typical", "session", "#/", session("sightline")],
  ["typical", "session that is blocked", "#/", session("infra")],
  ["typical", "session without a list", "#/", session("legacy")],
  ["full", "Now", "#/"],
  ["full", "session of 256", "#/", session("accounts")],
  ["archive", "History", "#/history"],
  ["archive", "what was found", "#/history?q=parser"],
  ["archive", "Recently deleted", "#/history?deleted"],
  ["archive", "Insight", "#/history/insight"],
  ["chat", "Now", "#/"],
  ["chat", "New task", "#/chat"],
  ["chat", "conversation", "#/", session("orders")],
  ["asks", "Needs you", "#/needs"],
  ["asks", "session that asks", "#/", session("billing-api")],
  ["empty", "first steps", "#/"],
  ["empty", "Needs you", "#/needs"],
  ["odd", "Now", "#/"],
  ["odd", "session", "#/", session("")],
];

/** Every page of a scene, at one width after the other. */
async function each(
  page: Page,
  demo: Awaited<ReturnType<Demos["of"]>>,
  scene: Scene,
  widths: readonly number[],
  look: (name: string, width: number) => Promise<void>,
  height = HEIGHT,
): Promise<void> {
  const sightline = await demo.show(page, "#/");
  for (const [of, name, place, first] of SHOWN) {
    if (of !== scene) continue;
    await page.setViewportSize({ width: 1_280, height: HEIGHT });
    await sightline.goTo(place);
    await expect(page.locator("main :is(h1, ul)").first()).toBeVisible();
    await first?.(page);
    if (first) await expect(page.locator("[data-revision], [data-field], .talk").first()).toBeVisible();
    for (const width of widths) {
      await page.setViewportSize({ width, height });
      await page.evaluate(
        () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
      );
      await look(name, width);
    }
  }
}

/** Faults that stay: a long list measures its lines after it has drawn them. `look` runs in the page. */
async function lasting(page: Page, look: () => string[]): Promise<string[]> {
  let found = await page.evaluate(look);
  for (let more = 10; found.length > 0 && more > 0; more -= 1) {
    await page.waitForTimeout(100);
    found = await page.evaluate(look);
  }
  return found;
}

const SCENES = [...new Set(SHOWN.map(([scene]) => scene))];

// German has the longest words of the five languages, and the invented one longer texts than any.
for (const [scene, language] of [
  ...SCENES.map((scene) => [scene, "en"] as const),
  ["typical", "de"] as const,
  ...SCENES.map((scene) => [scene, "en-XA"] as const),
]) {
  test(`every page fits every screen: ${scene}, ${language}`, async ({ page, demos }) => {
    await page.addInitScript((tag) => localStorage.setItem("locale", tag), language);
    const seen: string[] = [];
    await each(page, await demos.of(scene), scene, WIDTHS, async (name, width) => {
      for (const one of await lasting(page, misfits)) seen.push(`${name} at ${width}: ${one}`);
    });
    expect(seen).toEqual([]);
  });
}

/** Controls that are in the page, and cannot be brought into sight. Runs in the page. */
function unreachable(): string[] {
  const lost: string[] = [];
  for (const control of document.querySelectorAll<HTMLElement>(
    "a[href], button, input, textarea, [tabindex='0']",
  )) {
    if (!control.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    control.scrollIntoView({ block: "center", inline: "nearest" });
    const { left, right, top, bottom, width, height } = control.getBoundingClientRect();
    const name = control.getAttribute("aria-label") ?? control.textContent?.trim().slice(0, 40) ?? "";
    if (width < 2 || height < 2) continue;
    if (right < 1 || left > innerWidth - 1 || bottom < 1 || top > innerHeight - 1) lost.push(name);
  }
  return [...new Set(lost)];
}

// A browser that zooms to 200 % has half of the room, and twice the pixels for each.
test.describe("at 200 %", () => {
  test.use({ viewport: { width: 640, height: HEIGHT / 2 }, deviceScaleFactor: 2 });

  for (const scene of ["typical", "archive", "chat", "asks", "empty"] as const) {
    test(`everything is there and in reach: ${scene}`, async ({ page, demos }) => {
      const seen: string[] = [];
      await each(
        page,
        await demos.of(scene),
        scene,
        [640],
        async (name) => {
          for (const one of await lasting(page, misfits)) seen.push(`${name}: ${one}`);
          for (const one of await lasting(page, unreachable)) seen.push(`${name}: out of reach: ${one}`);
        },
        HEIGHT / 2,
      );
      expect(seen).toEqual([]);
    });
  }
});

/** Where the parts of a page begin, and how wide they are. Runs in the page. */
function edges(): { left: number; width: number }[] {
  return [...document.querySelectorAll<HTMLElement>("main .page > *")].flatMap((part) => {
    const { left, width, height } = part.getBoundingClientRect();
    // A control reaches beyond its words, for its focus ring.
    const { marginLeft, marginRight } = getComputedStyle(part);
    const [start, end] = [-parseFloat(marginLeft), -parseFloat(marginRight)];
    return height > 1 && width > 1
      ? [{ left: Math.round(left + start), width: Math.round(width - start - end) }]
      : [];
  });
}

test("every page begins at one line, and is as wide as its room or as words are read with ease", async ({
  page,
  demos,
}) => {
  // A page of text and rows; what is on more is a board or a list of lines.
  const SHEET = 980;
  for (const scene of ["typical", "archive", "empty"] as const) {
    await each(page, await demos.of(scene), scene, [1_200, 2_560], async (name, width) => {
      const panes = await page.locator("main .page").count();
      if (name === "strip" || panes > 1) return;
      const room = width - 204 - 2 * 28;
      const isApart = ({ left, width: wide }: { left: number; width: number }): boolean =>
        left !== 204 + 28 || ![Math.min(SHEET, room), room].includes(wide);
      // A part that comes late, or depends on the room that it has, is in its place after some frames.
      await expect
        .poll(async () => (await page.evaluate(edges)).filter(isApart), `${name} at ${width}`)
        .toEqual([]);
    });
  }
});
