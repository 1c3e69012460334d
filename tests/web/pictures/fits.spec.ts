// Every page fits every screen: nothing is wider than its room, over something else, or cut; only texts that agents
// and users wrote are cut, with the whole one where it leads to.
import { expect, type Page } from "@playwright/test";
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

/** Runs in the page. */
function misfits(): string[] {
  const found: string[] = [];
  /** Said only: of one pixel. */
  const isForEars = (element: Element | null): boolean =>
    element !== null &&
    (getComputedStyle(element).clipPath === "inset(50%)" || isForEars(element.parentElement));
  const isSeen = (element: Element): boolean =>
    element.checkVisibility({ visibilityProperty: true }) && !isForEars(element);
  const name = (element: Element): string =>
    `${element.textContent?.trim().replaceAll(/\s+/g, " ").slice(0, 50) ?? ""} <${element.localName} ${element.getAttribute("class")?.replace(/svelte-\w+/, "") ?? ""}>`;
  for (const element of document.querySelectorAll<HTMLElement>("body, body *:not(svg *, textarea, input)")) {
    const { overflowX, display } = getComputedStyle(element);
    const excess = element.scrollWidth - element.clientWidth;
    if (display === "inline" || excess <= 1 || !isSeen(element)) continue;
    if (/auto|scroll/.test(overflowX) && element.matches(".page, body, .dialog")) {
      found.push(`${excess} wider than its room: ${name(element)}`);
    }
    const isTheirs = element.querySelector(".theirs, code") ?? element.closest(".theirs");
    if (/hidden|clip/.test(overflowX) && !isTheirs) found.push(`cut: ${name(element)}`);
  }
  /** The part of a box that is not clipped by those around it. */
  const shown = (rect: DOMRect, within: Element | null): DOMRect => {
    if (!within) return rect;
    const { overflowX, overflowY } = getComputedStyle(within);
    const box = within.getBoundingClientRect();
    const left = overflowX === "visible" ? rect.left : Math.max(rect.left, box.left);
    const right = overflowX === "visible" ? rect.right : Math.min(rect.right, box.right);
    const top = overflowY === "visible" ? rect.top : Math.max(rect.top, box.top);
    const bottom = overflowY === "visible" ? rect.bottom : Math.min(rect.bottom, box.bottom);
    return shown(
      new DOMRect(left, top, Math.max(0, right - left), Math.max(0, bottom - top)),
      within.parentElement,
    );
  };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const pieces = new Map<Element | null, { rect: DOMRect; text: Text }[]>();
  for (let text = texts.nextNode() as Text | null; text; text = texts.nextNode() as Text | null) {
    const parent = text.parentElement!;
    if (text.data.trim() === "" || !isSeen(parent)) continue;
    const range = document.createRange();
    range.selectNodeContents(text);
    const group = parent.closest("li, article, header, section, footer, dialog, nav, form, .sticks");
    const all = pieces.get(group) ?? [];
    pieces.set(group, all);
    for (const each of range.getClientRects()) {
      const rect = shown(each, parent);
      if (rect.width < 1 || rect.height < 1) continue;
      if (rect.right > innerWidth + 1 || rect.left < -1)
        found.push(`outside: ${text.data.trim().slice(0, 50)}`);
      for (const other of all) {
        if (other.text === text) continue;
        const across = Math.min(rect.right, other.rect.right) - Math.max(rect.left, other.rect.left);
        const down = Math.min(rect.bottom, other.rect.bottom) - Math.max(rect.top, other.rect.top);
        if (across > 2 && down > 4)
          found.push(
            `over each other: ${text.data.trim().slice(0, 40)} / ${other.text.data.trim().slice(0, 40)}`,
          );
      }
      all.push({ rect, text });
    }
  }
  return [...new Set(found)];
}

/** Every page of a scene, at one width after the other. */
async function each(
  page: Page,
  demo: Awaited<ReturnType<Demos["of"]>>,
  scene: Scene,
  widths: readonly number[],
  look: (name: string, width: number) => Promise<void>,
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
      await page.setViewportSize({ width, height: HEIGHT });
      await page.evaluate(
        () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
      );
      await look(name, width);
    }
  }
}

const SCENES = [...new Set(SHOWN.map(([scene]) => scene))];

// German has the longest words of the five languages.
for (const [scene, language] of [
  ...SCENES.map((scene) => [scene, "en"] as const),
  ["typical", "de"] as const,
]) {
  test(`every page fits every screen: ${scene}, ${language}`, async ({ page, demos }) => {
    await page.addInitScript((tag) => localStorage.setItem("locale", tag), language);
    const seen: string[] = [];
    await each(page, await demos.of(scene), scene, WIDTHS, async (name, width) => {
      for (const one of await page.evaluate(misfits)) seen.push(`${name} at ${width}: ${one}`);
    });
    expect(seen).toEqual([]);
  });
}

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
      for (const { left, width: wide } of await page.evaluate(edges)) {
        expect(left, `${name} at ${width}`).toBe(204 + 28);
        expect([Math.min(SHEET, room), room], `${name} at ${width}`).toContain(wide);
      }
    });
  }
});
