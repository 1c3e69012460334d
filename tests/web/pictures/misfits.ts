// What does not fit on a page: wider than its room, over something else, or cut. Texts that agents and users wrote may be
// cut, with the whole one where they lead to.

/** Runs in the page. */
export function misfits(): string[] {
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
