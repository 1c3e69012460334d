import { motion, TIMING } from "./motion";

/** Changes that follow each other faster than this are not worth seeing one by one. */
const BURST = 400;

type Point = { left: number; top: number };

/** Lets elements be seen moving to where they now stand. Only those in view are measured and moved. */
export class Flip {
  /** The data attribute by which an element is known. */
  readonly #key: "run" | "uid";
  #before: Map<string, Point> | undefined;
  #playedAt = -BURST;

  constructor(key: "run" | "uid") {
    this.#key = key;
  }

  /** Before the elements of `container` change. */
  measure(container: HTMLElement): void {
    const now = performance.now();
    const isSkipped = now - this.#playedAt < BURST || !motion.isSeen;
    this.#playedAt = now;
    this.#before = isSkipped
      ? undefined
      : new Map(this.#inView(container).map(({ each, place }) => [this.#keyOf(each), place]));
  }

  /** After they have changed. */
  play(container: HTMLElement): void {
    const before = this.#before;
    if (!before) return;
    this.#before = undefined;
    for (const { each, place } of this.#inView(container)) {
      const from = before.get(this.#keyOf(each));
      if (!from) each.animate([{ opacity: 0 }, { opacity: 1 }], TIMING);
      else if (from.left !== place.left || from.top !== place.top) {
        const transform = `translate(${from.left - place.left}px, ${from.top - place.top}px)`;
        each.animate([{ transform }, { transform: "none" }], TIMING);
      }
    }
  }

  #keyOf({ dataset }: HTMLElement): string {
    return dataset[this.#key] ?? "";
  }

  /** Places are within the container: it may be scrolled meanwhile. */
  #inView(container: HTMLElement): { each: HTMLElement; place: Point }[] {
    const { left, top } = container.getBoundingClientRect();
    return [...container.querySelectorAll<HTMLElement>(`[data-${this.#key}]`)]
      .map((each) => ({ each, box: each.getBoundingClientRect() }))
      .filter(({ box }) => box.bottom > 0 && box.top < innerHeight)
      .map(({ each, box }) => ({ each, place: { left: box.left - left, top: box.top - top } }));
  }
}
