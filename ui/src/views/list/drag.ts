import { motion, TIMING } from "../../shared/motion";
import type { Row } from "../../state/rows";

/** A press that moves less than this is none. */
const SLACK = 4;
/** So near to the edge of what scrolls, it scrolls; at most so far per frame. */
const EDGE = 56;
const FASTEST = 14;

/** A row that others may be put before, with what belongs to it. */
export type Block = { top: number; bottom: number };

/** The number of the others that come before something put down at `y`. */
export function placeAt(others: Block[], y: number): number {
  return others.filter(({ top, bottom }) => (top + bottom) / 2 < y).length;
}

/** The rows beside which one may be put: those of its level, under the same step. */
export function besides(rows: Row[], { position, isSubtask }: Row): Row[] {
  const above = isSubtask ? `${position.split(".")[0]}.` : "";
  return rows.filter((row) => !row.gone && row.isSubtask === isSubtask && row.position.startsWith(above));
}

type Taken = { uid: string; from: number; y: number; scrolled: number; scroller: HTMLElement };

/**
 * A row under the pointer, with its subtasks, until it is put down.
 *
 * Libraries for this reorder the list themselves and know one level; here the list stays as it is until the gateway
 * has another.
 */
export class Drag {
  readonly #rows: () => Row[];
  readonly #onmove: (row: Row, to: string) => Promise<void>;
  #taken: Taken | undefined;
  #isMoving = false;
  /** Rows are out of their places: each list that comes is searched for them only then. */
  #isApart = false;
  #frame = 0;
  #listening = new AbortController();

  constructor(rows: () => Row[], onmove: (row: Row, to: string) => Promise<void>) {
    this.#rows = rows;
    this.#onmove = onmove;
  }

  /** A row is pressed at its grip. */
  grab(event: PointerEvent, { item }: Row, list: HTMLElement): void {
    const grip = event.currentTarget;
    if (event.button !== 0 || this.#taken || !(grip instanceof HTMLElement)) return;
    event.preventDefault();
    grip.setPointerCapture(event.pointerId);
    const scroller = scrollerOf(list);
    const y = event.clientY;
    this.#taken = { uid: item.uid, from: y, y, scrolled: scroller.scrollTop, scroller };
    this.#listening = new AbortController();
    const { signal } = this.#listening;
    grip.addEventListener("pointermove", ({ clientY }) => this.#follow(list, clientY), { signal });
    grip.addEventListener("pointerup", () => void this.#drop(list), { signal });
    // Also where its row goes away.
    grip.addEventListener("lostpointercapture", () => this.#cancel(list), { signal });
    window.addEventListener("keydown", (key) => this.#leave(list, key), { signal, capture: true });
  }

  /** Where it was put down it stays until the list has it there; then it is let go. */
  release(list: HTMLElement): void {
    if (this.#taken || !this.#isApart) return;
    this.#isApart = false;
    for (const row of displaced(list)) {
      row.style.translate = "";
      delete row.dataset.lifted;
      delete row.dataset.displaced;
    }
  }

  #follow(list: HTMLElement, y: number): void {
    if (!this.#taken) return;
    this.#taken.y = y;
    if (!this.#isMoving && Math.abs(y - this.#taken.from) < SLACK) return;
    if (!this.#isMoving) this.#scroll(list);
    this.#isMoving = true;
    this.#show(list);
  }

  #show(list: HTMLElement): void {
    const taken = this.#taken;
    const row = this.#row();
    if (!taken || !row) return this.#cancel(list);
    this.#isApart = true;
    const by = taken.y - taken.from + taken.scroller.scrollTop - taken.scrolled;
    const lifted = this.#elements(list, row);
    for (const each of lifted) {
      displace(each, by);
      each.dataset.lifted = "";
    }
    this.#makeRoom(list, row, taken.y, heightOf(lifted));
  }

  /** Opens a gap where it would be put. */
  #makeRoom(list: HTMLElement, row: Row, y: number, height: number): void {
    const { at, own, others } = this.#place(list, row, y);
    for (const [index, elements] of others.entries()) {
      const by = index >= own && index < at ? -height : index >= at && index < own ? height : 0;
      for (const each of elements) displace(each, by);
    }
  }

  /** Goes on scrolling while the pointer is at an edge. */
  #scroll(list: HTMLElement): void {
    this.#frame = requestAnimationFrame(() => {
      const taken = this.#taken;
      if (!taken) return;
      const { top, bottom } = taken.scroller.getBoundingClientRect();
      const past = Math.max(0, taken.y - (bottom - EDGE)) - Math.max(0, top + EDGE - taken.y);
      const before = taken.scroller.scrollTop;
      if (past !== 0) taken.scroller.scrollTop += Math.max(-1, Math.min(1, past / EDGE)) * FASTEST;
      if (taken.scroller.scrollTop !== before) this.#show(list);
      this.#scroll(list);
    });
  }

  async #drop(list: HTMLElement): Promise<void> {
    const taken = this.#taken;
    const row = this.#row();
    if (!taken || !row || !this.#isMoving) return this.#cancel(list);
    const { at, own } = this.#place(list, row, taken.y);
    this.#end();
    if (at !== own) {
      const above = row.isSubtask ? `${row.position.split(".")[0]}.` : "";
      await this.#onmove(row, `${above}${at + 1}`);
      // The list with it is painted in the next frame.
      await new Promise(requestAnimationFrame);
      await new Promise(requestAnimationFrame);
    }
    this.#settle(list);
  }

  #leave(list: HTMLElement, event: KeyboardEvent): void {
    if (event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    this.#cancel(list);
  }

  #cancel(list: HTMLElement): void {
    this.#end();
    this.#settle(list);
  }

  /** Rows that were not put elsewhere go back. */
  #settle(list: HTMLElement): void {
    const rows = displaced(list);
    const from = rows.map(({ style }) => style.translate);
    this.release(list);
    if (!motion.isSeen) return;
    for (const [index, row] of rows.entries())
      row.animate([{ translate: from[index] }, { translate: "none" }], TIMING);
  }

  #end(): void {
    this.#taken = undefined;
    this.#isMoving = false;
    cancelAnimationFrame(this.#frame);
    this.#listening.abort();
  }

  #row(): Row | undefined {
    return this.#rows().find(({ item }) => item.uid === this.#taken?.uid);
  }

  /** Its place among the others of its level, where it is and where it would be. */
  #place(list: HTMLElement, row: Row, y: number): { at: number; own: number; others: HTMLElement[][] } {
    const all = besides(this.#rows(), row);
    const others = all.filter((other) => other !== row).map((other) => this.#elements(list, other));
    const top = list.getBoundingClientRect().top;
    const blocks = others.map((elements) => {
      const from = elements[0]?.offsetTop ?? 0;
      return { top: from, bottom: from + heightOf(elements) };
    });
    return { at: placeAt(blocks, y - top), own: all.indexOf(row), others };
  }

  /** A row's element and those of its subtasks. */
  #elements(list: HTMLElement, { item }: Row): HTMLElement[] {
    return [item, ...(item.subtasks ?? [])]
      .map(({ uid }) => list.querySelector<HTMLElement>(`:scope > [data-uid="${CSS.escape(uid)}"]`))
      .filter((element) => element !== null);
  }
}

function displace(row: HTMLElement, by: number): void {
  const words = by === 0 ? "" : `0 ${by}px`;
  if (row.style.translate !== words) row.style.translate = words;
  row.dataset.displaced = String(by);
}

function displaced(list: HTMLElement): HTMLElement[] {
  return [...list.querySelectorAll<HTMLElement>(":scope > [data-displaced]")];
}

function heightOf(rows: HTMLElement[]): number {
  return rows.reduce((height, { offsetHeight }) => height + offsetHeight, 0);
}

function scrollerOf(list: HTMLElement): HTMLElement {
  for (let at = list.parentElement; at; at = at.parentElement) {
    if (/auto|scroll/.test(getComputedStyle(at).overflowY)) return at;
  }
  return document.documentElement;
}
