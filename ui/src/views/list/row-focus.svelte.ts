import { isFocusLost } from "../../shared/typing";
import type { Row } from "../../state/rows";

/** The focus among the rows of a list: where it is, and where it goes when its row is moved or gone. */
export class RowFocus {
  readonly #rows: () => Row[];
  readonly #list: () => HTMLElement;
  /** The row that was visited last. */
  #visited = $state<string>();
  /** The one row that Tab stops at. As a derived value each row would look, with every update, whether it is the same. */
  stop = $state<string>();
  /** A row that gets the focus as soon as it exists. */
  wanted: string | undefined;
  /** The place of the row that had the focus and is gone. */
  #lostAt: number | undefined;
  /** The element that has the focus: a row that is put elsewhere loses it. */
  #held: HTMLElement | undefined;

  constructor(rows: () => Row[], list: () => HTMLElement) {
    this.#rows = rows;
    this.#list = list;
    $effect.pre(() => {
      const all = rows();
      const at =
        all.find(({ item }) => item.uid === this.#visited) ??
        all.find(({ item }) => item.status === "in_progress") ??
        all[0];
      this.stop = at?.item.uid;
    });
  }

  elementOf(uid: string): HTMLElement | null {
    return this.#list().querySelector(`[data-uid="${CSS.escape(uid)}"]`);
  }

  /** The row that an element is in. */
  uidOf(target: EventTarget | null): string | undefined {
    const row = target instanceof Element ? target.closest<HTMLElement>("[data-uid]") : null;
    return row && this.#list()?.contains(row) ? row.dataset.uid : undefined;
  }

  on(uid: string | undefined): void {
    if (uid === undefined) return;
    this.#visited = uid;
    this.elementOf(uid)?.focus();
  }

  onLast(): void {
    this.on(this.#rows().findLast(({ gone }) => !gone)?.item.uid);
  }

  /** The focus came to an element of the list. */
  came(event: FocusEvent): void {
    this.#visited = this.uidOf(event.target) ?? this.#visited;
  }

  /** Before the rows change from `before` to `uids`. */
  measure(before: string[], uids: string[]): void {
    const focused = this.uidOf(document.activeElement);
    this.#held = focused === undefined ? undefined : (document.activeElement as HTMLElement);
    this.#lostAt = focused !== undefined && !uids.includes(focused) ? before.indexOf(focused) : undefined;
  }

  /** After they have changed. */
  restore(uids: string[]): void {
    if (this.wanted !== undefined && uids.includes(this.wanted)) {
      this.on(this.wanted);
      this.wanted = undefined;
    } else if (this.#lostAt !== undefined && this.#lostAt >= 0) {
      this.on(uids[Math.min(this.#lostAt, uids.length - 1)]);
    } else if (this.#held?.isConnected && document.activeElement !== this.#held && isFocusLost()) {
      this.#held.focus();
    }
  }
}
