/** Below this height of the window there is no room to keep anything at its foot. */
const LEAST = 600;

/** The element in which a part of the page scrolls. */
function scrollerOf(element: HTMLElement): HTMLElement | undefined {
  for (let each = element.parentElement; each; each = each.parentElement) {
    if (/auto|scroll/.test(getComputedStyle(each).overflowY)) return each;
  }
  return undefined;
}

/** Keeps what stands below an element where it is in the window while `isOn`, whatever height that gets. */
export function steady(isOn: () => boolean): (above: HTMLElement) => () => void {
  return (above) => {
    let height = above.offsetHeight;
    let wasOn = false;
    const observer = new ResizeObserver(() => {
      const by = above.offsetHeight - height;
      height = above.offsetHeight;
      if (isOn() || wasOn) scrollerOf(above)?.scrollBy(0, by);
      wasOn = isOn();
    });
    observer.observe(above);
    return () => observer.disconnect();
  };
}

/** Sticks an element to the foot of the page, and tells the page how high it is: the focus stays above it. */
export function docked(element: HTMLElement): () => void {
  const scroller = scrollerOf(element);
  const tell = (): void => {
    const height = innerHeight < LEAST ? 0 : element.offsetHeight;
    element.style.position = height === 0 ? "static" : "sticky";
    scroller?.style.setProperty("--dock", `${height}px`);
  };
  const observer = new ResizeObserver(tell);
  observer.observe(element);
  window.addEventListener("resize", tell);
  return () => {
    observer.disconnect();
    window.removeEventListener("resize", tell);
    scroller?.style.removeProperty("--dock");
  };
}
