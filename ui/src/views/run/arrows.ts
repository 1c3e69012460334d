type Direction = "ArrowLeft" | "ArrowRight" | "ArrowUp" | "ArrowDown";

/** Arrow keys go from run to run inside `container`, as the eye would. */
export function arrowsBetween(container: HTMLElement): () => void {
  const onKeydown = (event: KeyboardEvent): void => {
    const from = document.activeElement?.closest<HTMLElement>("[data-run]");
    if (event.defaultPrevented || !isDirection(event.key) || !from || !isPlain(event)) return;
    const to = neighbour(from, [...container.querySelectorAll<HTMLElement>("[data-run]")], event.key);
    if (!to) return;
    event.preventDefault();
    to.querySelector("a")?.focus();
  };
  container.addEventListener("keydown", onKeydown);
  return () => container.removeEventListener("keydown", onKeydown);
}

function isPlain({ altKey, ctrlKey, metaKey, target }: KeyboardEvent): boolean {
  return !altKey && !ctrlKey && !metaKey && target instanceof HTMLAnchorElement;
}

function isDirection(key: string): key is Direction {
  return ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"].includes(key);
}

function neighbour(from: HTMLElement, all: HTMLElement[], direction: Direction): HTMLElement | undefined {
  const at = all.indexOf(from);
  if (direction === "ArrowLeft") return all[at - 1];
  if (direction === "ArrowRight") return all[at + 1];
  const here = from.getBoundingClientRect();
  const centre = here.left + here.width / 2;
  const below = direction === "ArrowDown";
  // The nearest of those that lie wholly beyond, and of these the one most nearly in line.
  const beyond = all
    .map((element) => ({ element, box: element.getBoundingClientRect() }))
    .filter(({ box }) => (below ? box.top >= here.bottom : box.bottom <= here.top))
    .toSorted((a, b) => {
      const rows = below ? a.box.top - b.box.top : b.box.bottom - a.box.bottom;
      return rows || off(a.box, centre) - off(b.box, centre);
    });
  return beyond[0]?.element;
}

function off(box: DOMRect, centre: number): number {
  return Math.abs(box.left + box.width / 2 - centre);
}
