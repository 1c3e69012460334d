// The looks of things that a hand or a keyboard is at.
import type { Locator, Page } from "@playwright/test";
import { STORY } from "../parts/story.ts";
import { expect, test } from "./test.ts";

/** Pixels of the colour that focus rings have, around an element. */
async function ringAround(page: Page, element: Locator): Promise<{ seen: number; round: number }> {
  const box = (await element.boundingBox())!;
  const around = { x: box.x - 4, y: box.y - 4, width: box.width + 8, height: box.height + 8 };
  const picture = (await page.screenshot({ clip: around })).toString("base64");
  const seen = await page.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    const drawing = new OffscreenCanvas(image.width, image.height).getContext("2d")!;
    const probe = document.body.appendChild(document.createElement("i"));
    probe.style.color = "var(--active)";
    drawing.fillStyle = getComputedStyle(probe).color;
    probe.remove();
    drawing.fillRect(0, 0, 1, 1);
    const [red, green, blue] = drawing.getImageData(0, 0, 1, 1).data;
    drawing.drawImage(image, 0, 0);
    const { data } = drawing.getImageData(0, 0, image.width, image.height);
    let count = 0;
    for (let at = 0; at < data.length; at += 4) {
      const far =
        Math.abs(data[at]! - red!) + Math.abs(data[at + 1]! - green!) + Math.abs(data[at + 2]! - blue!);
      if (far < 24) count += 1;
    }
    return count;
  }, picture);
  return { seen, round: 2 * (box.width + box.height) };
}

test("a focus ring is whole under the pointer, too", async ({ story, page }) => {
  const expectWhole = async (element: Locator, what: string): Promise<void> => {
    await element.hover();
    const share = async (): Promise<number> => {
      const { seen, round } = await ringAround(page, element);
      return seen / round;
    };
    await expect.poll(share, { message: `the ring of ${what}` }).toBeGreaterThan(0.9);
  };
  await story.rows.first().focus();
  await page.keyboard.press("ArrowDown");
  await expectWhole(story.rows.nth(1), "a step");
  await page.keyboard.press("Tab");
  await expectWhole(page.locator(":focus"), "a button of a step");
  await page.getByRole("link", { name: "Now", exact: true }).first().focus();
  await page.keyboard.press("Tab");
  await expectWhole(page.locator(":focus"), "an entry of the rail");
});

test("with reduced motion nothing moves by itself, also while an agent writes", async ({
  story,
  page,
  agent,
}) => {
  /** So many animations were seen in a second of changes. */
  const moves = async (): Promise<number> => {
    await page.evaluate(() => {
      const seen = new Set<string>();
      Object.assign(globalThis, { seen });
      const look = (): void => {
        for (const each of document.getAnimations()) {
          if (each.playState === "running" && Number(each.effect?.getComputedTiming().duration) > 1) {
            seen.add(`${each.constructor.name} ${(each.effect as KeyframeEffect).target?.localName}`);
          }
        }
        requestAnimationFrame(look);
      };
      look();
    });
    for (const done of [1, 2, 3]) {
      await agent.write(
        STORY.map((step, at) => ({ ...step, status: at < done ? "completed" : "in_progress" })),
      );
      await page.waitForTimeout(300);
    }
    return page.evaluate(() => (globalThis as unknown as { seen: Set<string> }).seen.size);
  };
  await expect(story.rows).toHaveCount(3);
  expect(await moves(), "something moves, where that is wanted").toBeGreaterThan(0);
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.reload();
  await expect(story.rows).toHaveCount(3);
  expect(await moves()).toBe(0);
});

test("in forced colours states differ by more than a colour", async ({ story, page }) => {
  await page.emulateMedia({ forcedColors: "active" });
  /** Frame, outline and ground of an element, as they are painted. */
  const looks = (element: Locator): Promise<string> =>
    element.evaluate((of) => {
      const { outlineStyle, borderStyle, backgroundColor, borderColor } = getComputedStyle(of);
      return [outlineStyle, borderStyle, backgroundColor, borderColor].join(" ");
    });
  const rail = page.getByRole("navigation").first();
  await page.getByRole("link", { name: "Settings" }).click();
  const [here, elsewhere] = [rail.locator("a[aria-current]"), rail.getByRole("link", { name: "History" })];
  expect(await looks(here), "the page that is shown").not.toBe(await looks(elsewhere));
  const [on, off] = [
    page.getByRole("switch", { checked: true }),
    page.getByRole("switch", { checked: false }),
  ];
  expect(await looks(on.first()), "a switch that is on").not.toBe(await looks(off.first()));
  const [chosen, other] = [
    page.getByRole("radio", { checked: true }),
    page.getByRole("radio", { checked: false }),
  ];
  expect(await looks(chosen.first()), "a way that is chosen").not.toBe(await looks(other.first()));
  await page.goBack();
  const row = story.rows.nth(2);
  const before = await row.screenshot();
  await story.rows.nth(1).focus();
  await page.keyboard.press("ArrowDown");
  expect((await row.screenshot()).equals(before), "a step with the focus looks otherwise").toBe(false);
});

/** The share of a part of the page that is not as its ground is. */
async function inkIn(
  page: Page,
  clip: { x: number; y: number; width: number; height: number },
): Promise<number> {
  const picture = (await page.screenshot({ clip })).toString("base64");
  return page.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    const drawing = new OffscreenCanvas(image.width, image.height).getContext("2d")!;
    drawing.drawImage(image, 0, 0);
    const { data } = drawing.getImageData(0, 0, image.width, image.height);
    let count = 0;
    for (let at = 0; at < data.length; at += 4) if (Math.abs(data[at]! - data[0]!) > 60) count += 1;
    return (4 * count) / data.length;
  }, picture);
}

test("a text that is written the other way is cut with its dots in sight", async ({
  sightline,
  gateway,
  agent,
  socket,
  page,
}) => {
  const { sessionId } = await agent.write(STORY);
  await socket.ask("session.mark", {
    sessionId,
    title: "Look at all that is there, and say why. ".repeat(5),
  });
  await page.addInitScript(() => localStorage.setItem("locale", "ar-XB"));
  await page.setViewportSize({ width: 560, height: 800 });
  await sightline.open(gateway.page);
  await sightline.goTo(`#/session/${sessionId}`);
  const title = page.getByRole("heading", { level: 1 });
  await expect(title).toContainText("Look at all");
  await page.evaluate(() => document.fonts.ready);
  const behind = await title.evaluate((heading) => {
    const { bottom, right } = heading.getBoundingClientRect();
    const { fontSize, paddingRight } = getComputedStyle(heading);
    const width = Number.parseFloat(fontSize);
    return { x: right - Number.parseFloat(paddingRight), y: bottom - width, width, height: width };
  });
  expect(await inkIn(page, behind)).toBeGreaterThan(0.005);
});
