import { motion, TIMING } from "../state/motion";

/** Changes that follow each other faster than this are not worth seeing one by one. */
const BURST = 400;

/** Lets rows be seen moving to where they now are. Measured and moved is only what is in view. */
export class Glide {
  #before: Map<string, number> | undefined;
  #playedAt = 0;

  /** Before the rows change. */
  measure(list: HTMLElement): void {
    const now = performance.now();
    const skipped = now - this.#playedAt < BURST || !motion.isSeen;
    this.#playedAt = now;
    this.#before = skipped ? undefined : new Map(inView(list).map((row) => [uidOf(row), topOf(row)]));
  }

  /** After they have changed. */
  play(list: HTMLElement): void {
    const before = this.#before;
    if (!before) return;
    this.#before = undefined;
    for (const row of inView(list)) {
      const from = before.get(uidOf(row));
      if (from === undefined) row.animate([{ opacity: 0 }, { opacity: 1 }], TIMING);
      else if (from !== topOf(row)) {
        row.animate([{ transform: `translateY(${from - topOf(row)}px)` }, { transform: "none" }], TIMING);
      }
    }
  }
}

function inView(list: HTMLElement): HTMLElement[] {
  const rows = [...list.children] as HTMLElement[];
  const top = list.getBoundingClientRect().top;
  return rows.filter(
    (row) => top + row.offsetTop < innerHeight && top + row.offsetTop + row.offsetHeight > 0,
  );
}

function uidOf(row: HTMLElement): string {
  return row.dataset.uid ?? "";
}

/** Where it is seen: one that was just put down is not yet there in the list. */
function topOf(row: HTMLElement): number {
  return row.offsetTop + Number(row.dataset.displaced ?? 0);
}
