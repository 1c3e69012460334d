import { expect, type Locator, type Page } from "@playwright/test";
import { follows, hasLookedFocused, isInView, look, prepare, rememberLooks, type Stop } from "./stops.ts";

/** More stops than any page of these tests has. */
const MANY = 80;

/** A page that is gone through with the keyboard alone. */
export class Walk {
  constructor(readonly page: Page) {}

  /** Keys one after the other; those of a chord are apart by a blank. */
  async press(...keys: string[]): Promise<void> {
    for (const key of keys.flatMap((each) => each.split(" "))) await this.page.keyboard.press(key);
  }

  async expectHeading(name: string): Promise<void> {
    await expect(this.page.getByRole("heading", { name, level: 1, exact: true })).toBeFocused();
  }

  /** Goes there with Tab, or with Shift and Tab. */
  async tabTo(wanted: Locator, key: "Tab" | "Shift+Tab" = "Tab"): Promise<void> {
    await expect(wanted).toBeVisible();
    const passed: string[] = [];
    for (let stop = 0; stop < MANY; stop += 1) {
      await this.page.keyboard.press(key);
      if (await wanted.evaluate((element) => element === document.activeElement)) return;
      passed.push(await this.#name());
    }
    throw new Error(`${key} does not lead there, but to ${JSON.stringify(passed)}`);
  }

  /** Tab visits everything that takes the focus, once, in the order in which it is seen; each in view and seen to have it. */
  async round(name: string): Promise<void> {
    const { page } = this;
    const count = await page.evaluate(prepare);
    const visited: number[] = [];
    let before: string | undefined;
    let last = -1;
    // From where the focus is on, past the end of the page, and back to where it began.
    for (let press = 0; press <= count + 1; press += 1) {
      await page.keyboard.press("Tab");
      if (before !== undefined) {
        const looked = (await page.evaluate(hasLookedFocused)) || (await this.#isDrawnOtherwise());
        expect.soft(looked, `${name}: it is seen that ${before} has the focus`).toBe(true);
        before = undefined;
      }
      if (await page.evaluate(() => document.activeElement === document.body)) continue;
      const stop = await page.evaluate(look, last);
      const what = await this.#name();
      expect(stop.at, `${name}: nobody knows ${what}, after ${visited.length} stops`).toBeGreaterThanOrEqual(
        0,
      );
      expect.soft(await page.evaluate(isInView), `${name}: ${what} is in view`).toBe(true);
      if (this.#last && stop.at > last) {
        expect
          .soft(follows(this.#last, stop), `${name}: ${what} is seen after what comes before it`)
          .toBe(true);
      }
      if (visited.length > 0 && stop.at === visited[0]) break;
      visited.push(stop.at);
      await page.evaluate(rememberLooks);
      await this.#rememberThumb();
      [before, this.#last, last] = [what, stop, stop.at];
    }
    this.#last = undefined;
    const [begun] = visited as [number];
    const all = Array.from({ length: count }, (_, at) => (begun + at) % count);
    expect(visited, `${name}: each is visited once, in order`).toEqual(all);
  }

  /** A slider's thumb, whose style no script can read: where it is, and its picture with the focus. */
  #thumb: { of: Locator; picture: Buffer } | undefined;

  async #rememberThumb(): Promise<void> {
    const of = this.page.locator("input[type=range]:focus");
    this.#thumb = undefined;
    if ((await of.count()) === 0) return;
    const id = await of.evaluate((input) => (input.id ||= "walked"));
    this.#thumb = { of: this.page.locator(`[id="${id}"]`), picture: await of.screenshot() };
  }

  async #isDrawnOtherwise(): Promise<boolean> {
    const thumb = this.#thumb;
    return thumb !== undefined && !(await thumb.of.screenshot()).equals(thumb.picture);
  }

  #last: Stop | undefined;

  #name(): Promise<string> {
    return this.page.evaluate(() => {
      const at = document.activeElement;
      return `${at?.getAttribute("aria-label") ?? at?.textContent?.trim().slice(0, 60)} <${at?.localName}>`;
    });
  }
}
