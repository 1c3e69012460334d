import { motion, TIMING } from "../state/motion";

/** Changes of order that follow each other faster than this are not worth seeing one by one. */
const BURST = 400;

type Place = { left: number; top: number };

/** Lets what stands on the board be seen moving to where it now stands, and keeps the focus where it was. */
export class Moving {
  #before: Map<string, Place> | undefined;
  #playedAt = -BURST;
  #focused: string | undefined;

  /** Before the order changes. */
  measure(board: HTMLElement): void {
    const at = document.activeElement;
    this.#focused =
      at instanceof HTMLAnchorElement && board.contains(at) ? runOf(at.closest("[data-run]")) : undefined;
    const now = performance.now();
    const isSkipped = now - this.#playedAt < BURST || !motion.isSeen;
    this.#playedAt = now;
    this.#before = isSkipped ? undefined : new Map(inView(board).map(({ each, box }) => [runOf(each), box]));
  }

  /** After it has changed. */
  play(board: HTMLElement): void {
    this.#refocus(board);
    const before = this.#before;
    if (!before) return;
    this.#before = undefined;
    for (const { each, box } of inView(board)) {
      const from = before.get(runOf(each));
      if (!from) each.animate([{ opacity: 0 }, { opacity: 1 }], TIMING);
      else if (from.left !== box.left || from.top !== box.top) {
        const transform = `translate(${from.left - box.left}px, ${from.top - box.top}px)`;
        each.animate([{ transform }, { transform: "none" }], TIMING);
      }
    }
  }

  /** An element that is put elsewhere in the document loses the focus. */
  #refocus(board: HTMLElement): void {
    if (this.#focused === undefined || document.activeElement !== document.body) return;
    const card = [...board.querySelectorAll("[data-run]")].find((each) => runOf(each) === this.#focused);
    card?.querySelector("a")?.focus({ preventScroll: true });
  }
}

function inView(board: HTMLElement): { each: HTMLElement; box: DOMRect }[] {
  return [...board.querySelectorAll<HTMLElement>("[data-run]")]
    .map((each) => ({ each, box: each.getBoundingClientRect() }))
    .filter(({ box }) => box.bottom > 0 && box.top < innerHeight);
}

function runOf(element: Element | null): string {
  return (element instanceof HTMLElement && element.dataset.run) || "";
}
