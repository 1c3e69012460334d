// Moves of cards and rows on a page by themselves, looked at in the page, in each of its frames.
import type { Locator, Page } from "@playwright/test";

export interface Moves {
  /** Things that were looked at, in so many frames. */
  things: number;
  frames: number;
  /** Cards, lines, rail rows, entries of *Needs you* and the button that moved though none changed its group. */
  moved: string[];
  /** Frames in which some changed their group, came or went. */
  regroupings: number;
  /** Those that moved in such a frame: others made room. */
  shoved: string[];
  /** The buttons that the pointer came to be over, though it rests. */
  under: (string | null)[];
}

/** Looks from now on. The pointer rests at this point. Runs in the page. */
export function watchMoves({ x, y }: { x: number; y: number }): void {
  type Look = Map<string, { at: string; group: string }>;

  /** The layout's place, without what an animation makes of it, as far as it is scrolled. */
  const placeOf = (element: HTMLElement): string => {
    let [left, top] = [0, 0];
    for (let at: HTMLElement | null = element; at; at = at.offsetParent as HTMLElement | null) {
      left += at.offsetLeft;
      top += at.offsetTop;
    }
    for (let at = element.parentElement; at; at = at.parentElement) {
      left -= at.scrollLeft;
      top -= at.scrollTop;
    }
    return `${left},${top} ${element.offsetWidth}×${element.offsetHeight}`;
  };
  const aim = document.elementFromPoint(x, y)?.closest("button");
  const look = (): Look => {
    const things = [...document.querySelectorAll<HTMLElement>("[data-run], [data-need]")];
    const lists = [...new Set(things.map((thing) => thing.parentElement!))];
    const nameOf = (thing: HTMLElement): string =>
      `${thing.closest("nav") ? "rail" : "page"} ${thing.dataset["run"] ?? thing.dataset["need"]}`;
    // A group is who is in it.
    const groups = lists.map((list) =>
      things
        .filter((thing) => thing.parentElement === list)
        .map(nameOf)
        .toSorted()
        .join(),
    );
    const seen: Look = new Map(
      things.map((thing) => [
        nameOf(thing),
        { at: placeOf(thing), group: groups[lists.indexOf(thing.parentElement!)]! },
      ]),
    );
    if (aim) seen.set("the button under the pointer", { at: placeOf(aim), group: "" });
    return seen;
  };
  const isGroupedAs = (one: Look, other: Look): boolean =>
    one.size === other.size && [...one].every(([name, { group }]) => other.get(name)?.group === group);
  const buttonAt = (): string | null =>
    document.elementFromPoint(x, y)?.closest("button")?.getAttribute("aria-label") ?? null;

  let before = look();
  const moves: Moves = {
    things: before.size,
    frames: 0,
    moved: [],
    regroupings: 0,
    shoved: [],
    under: [buttonAt()],
  };
  const each = (): void => {
    const now = look();
    const isSame = isGroupedAs(before, now);
    if (!isSame) moves.regroupings += 1;
    for (const [name, { at }] of now) {
      const was = before.get(name)?.at;
      if (was !== undefined && was !== at)
        (isSame ? moves.moved : moves.shoved).push(`${name}: ${was} → ${at}`);
    }
    before = now;
    moves.frames += 1;
    if (moves.under.at(-1) !== buttonAt()) moves.under.push(buttonAt());
    if (Reflect.get(window, "moves") === moves) requestAnimationFrame(each);
  };
  Object.assign(window, { moves });
  requestAnimationFrame(each);
}

/** The moves so far. Runs in the page. */
export function movesSoFar(): Moves {
  return Reflect.get(window, "moves") as Moves;
}

/** Adds up from now on by how much things on the page have shifted by themselves, and names what did. */
export async function watchShifts(page: Page): Promise<() => Promise<{ shift: number; sources: string[] }>> {
  await page.evaluate(() => {
    const seen = { shift: 0, sources: [] as string[] };
    Object.assign(globalThis, { seen });
    type Shift = PerformanceEntry & { value: number; sources: { node?: Node }[] };
    new PerformanceObserver((entries) => {
      for (const entry of entries.getEntries() as Shift[]) {
        seen.shift += entry.value;
        for (const { node } of entry.sources)
          seen.sources.push(node?.parentElement?.outerHTML.slice(0, 160) ?? "");
      }
    }).observe({ type: "layout-shift" });
  });
  return () =>
    page.evaluate(() => (globalThis as unknown as { seen: { shift: number; sources: string[] } }).seen);
}

/** The place and the size of each card. */
export function placesOf(cards: Locator): Promise<string[]> {
  return cards.evaluateAll((all) =>
    all.map((card) => {
      const { x, y, width, height } = card.getBoundingClientRect();
      return [card.getAttribute("data-run"), x, y, width, height].join(" ");
    }),
  );
}
