import type { FieldPlace, InsertDraft } from "../../state/insert-draft.svelte";
import { nextPosition, type Row } from "../../state/rows";

/** The field between two rows, and what is typed into it. */
export class Insertion {
  readonly #rows: () => Row[];
  readonly #draft: () => InsertDraft;
  /** The position at which it adds; nothing while it is closed. */
  readonly position: string | undefined = $derived.by(() => this.#positionOf());

  constructor(rows: () => Row[], draft: () => InsertDraft) {
    this.#rows = rows;
    this.#draft = draft;
  }

  /** The typed text: it outlives the row that the field is at, and the page. */
  get text(): string {
    return this.#draft().text;
  }

  set text(text: string) {
    this.#draft().text = text;
  }

  get #place(): FieldPlace | undefined {
    return this.#draft().place;
  }

  set #place(place: FieldPlace | undefined) {
    this.#draft().place = place;
  }

  /** The row that it is beside. */
  get uid(): string | undefined {
    return this.#place?.uid;
  }

  /** On which side of a row it is, if it is there. */
  sideOf({ item }: Row): FieldPlace["side"] | undefined {
    return this.#place?.uid === item.uid ? this.#place.side : undefined;
  }

  before({ item, isSubtask }: Row): void {
    this.#place = { uid: item.uid, side: "before", isSubtask };
  }

  /** After a row of the same level, past its subtasks. */
  after(row: Row): void {
    const rows = this.#rows();
    const following = rows.slice(rows.indexOf(row) + 1);
    const next = row.isSubtask ? following[0] : following.find(({ isSubtask }) => !isSubtask);
    if (next && next.isSubtask === row.isSubtask) return this.before(next);
    const last = row.isSubtask ? row : (rows.at(-1) ?? row);
    this.#place = { uid: last.item.uid, side: "after", isSubtask: row.isSubtask };
  }

  /** Its row is gone, which was at `at`: it goes to the row that has that place now. */
  keep(at: number): void {
    const rows = this.#rows();
    const row = rows[at] ?? rows.at(-1);
    this.#place = row && {
      uid: row.item.uid,
      side: rows[at] ? "before" : "after",
      isSubtask: row.isSubtask,
    };
  }

  close(): void {
    this.#place = undefined;
  }

  #positionOf(): string | undefined {
    const place = this.#place;
    const rows = this.#rows();
    const anchor = rows.find(({ item }) => item.uid === place?.uid);
    if (!place || !anchor) return undefined;
    if (place.side === "before") return anchor.position;
    if (place.isSubtask) return nextPosition(anchor.position);
    return String(rows.filter(({ isSubtask, gone }) => !isSubtask && !gone).length + 1);
  }
}
