import type { Page } from "@playwright/test";

/**
 * Elements of the page that a finger would miss: from their middle they do not reach 22 px each way, as far as the page
 * does. Links within a sentence are left out, as in WCAG 2.5.5.
 */
export function tooSmallToTouch(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const REACH = 21;
    const ALL =
      "a[href], button, input, textarea, select, summary, [role=button], [role=switch], [role=radio], [role=checkbox], " +
      "[role=tab], [role=option], [role=menuitem]";
    const isOf = (hit: Element | null, target: Element): boolean => {
      if (!hit) return true;
      if (target.contains(hit)) return true;
      return hit.closest("label")?.control === target;
    };
    const found: string[] = [];
    for (const target of document.querySelectorAll<HTMLElement>(ALL)) {
      const label = target instanceof HTMLInputElement ? target.labels?.[0] : undefined;
      const isDrawn = target.offsetWidth > 1 && getComputedStyle(target).opacity !== "0";
      const drawn = isDrawn || !label ? target : label;
      if (!drawn.checkVisibility({ visibilityProperty: true }) || target.matches(":disabled")) continue;
      if (getComputedStyle(drawn).display === "inline" || drawn.offsetWidth <= 1) continue;
      drawn.scrollIntoView({ block: "center", inline: "nearest" });
      const { left, right, top, bottom } = drawn.getBoundingClientRect();
      const [x, y] = [(left + right) / 2, (top + bottom) / 2];
      // An element that is covered now is measured where it is not.
      if (!isOf(document.elementFromPoint(x, y), target)) continue;
      const missed = (
        [
          ["left", x - REACH, y],
          ["right", x + REACH, y],
          ["up", x, y - REACH],
          ["down", x, y + REACH],
        ] as const
      ).filter(([, px, py]) => !isOf(document.elementFromPoint(px, py), target));
      if (missed.length === 0) continue;
      const name = target.getAttribute("aria-label") ?? target.textContent.trim().slice(0, 40);
      const sides = missed.map(([side]) => side).join(" ");
      const size = `${Math.round(right - left)}×${Math.round(bottom - top)}`;
      found.push(`${target.tagName.toLowerCase()}.${target.className} "${name}" ${size}: ${sides}`);
    }
    return found;
  });
}
