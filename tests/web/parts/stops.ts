// Stops of Tab on a page: all that it should visit, and whether they come in the order in which they are seen.

/** Place of something on the page, as it is scrolled now. */
export interface Stop {
  /** Its place among all that can have the focus, in the order of the document; -1 for nothing. */
  at: number;
  region: string;
  /** It lies within the stop before it, or around it. */
  within: boolean;
  left: number;
  top: number;
  bottom: number;
}

/** Everything that Tab should visit. */
export function prepare(): number {
  const all = document.querySelectorAll<HTMLElement>(
    "a[href], button, input, select, textarea, summary, [tabindex]",
  );
  const seen = [...all].filter(
    (each) => each.tabIndex >= 0 && !each.matches(":disabled") && each.checkVisibility(),
  );
  (window as unknown as { stops: Element[] }).stops = seen;
  return seen.length;
}

/** The stop that has the focus. */
export function look(before: number): Stop {
  const { stops } = window as unknown as { stops: Element[] };
  const element = document.activeElement!;
  const { left, top, bottom } = element.getBoundingClientRect();
  const last = stops[before];
  return {
    at: stops.indexOf(element),
    region: element.closest("nav, aside, main, section.toast, section.side")?.tagName ?? "",
    within: last !== undefined && (last.contains(element) || element.contains(last)),
    left,
    top: top + scrolled(),
    bottom: bottom + scrolled(),
  };

  function scrolled(): number {
    return element.closest("main .page")?.scrollTop ?? 0;
  }
}

/** Beside it on its line, or further down; another part of the window, or of the same thing, comes when it comes. */
export function follows(before: Stop, stop: Stop): boolean {
  if (before.region !== stop.region || stop.within) return true;
  const isBelow = stop.top >= before.bottom - 1;
  const isBeside = stop.left > before.left && stop.bottom > before.top;
  return isBelow || isBeside;
}

/** True if the element that has the focus is in view. Runs in the page. */
export function isInView(): boolean {
  const { left, right, top, bottom } = document.activeElement!.getBoundingClientRect();
  return right > 0 && bottom > 0 && left < innerWidth && top < innerHeight;
}

/** Remembers the looks of the element that has the focus, and of what it is in. Runs in the page. */
export function rememberLooks(): void {
  const looksOf = (element: Element): string => {
    const chain: Element[] = [];
    for (let at: Element | null = element; at && chain.length < 5; at = at.parentElement) chain.push(at);
    return chain
      .flatMap((each) => ["", "::before", "::after"].map((part) => getComputedStyle(each, part)))
      .map((style) =>
        [style.outline, style.borderColor, style.boxShadow, style.opacity, style.clipPath].join("|"),
      )
      .join("\n");
  };
  const element = document.activeElement!;
  Object.assign(window, { seen: { element, looks: looksOf(element), looksOf } });
}

/** True if the element that was remembered, and has the focus no more, looked otherwise with it. Runs in the page. */
export function hasLookedFocused(): boolean {
  const { seen } = window as unknown as {
    seen: { element: Element; looks: string; looksOf: (element: Element) => string };
  };
  return seen.looks !== seen.looksOf(seen.element);
}
