import { SvelteSet } from "svelte/reactivity";
import type { Failure } from "../../backend/backend";
import type { Item } from "../../protocol/types";
import type { Editing } from "../../state/editing.svelte";
import type { Row } from "../../state/rows";
import type { RowFocus } from "./row-focus.svelte";

/** The rows whose text or details are open. Where something is typed, they stay open in any case. */
export class OpenRows {
  readonly #rows: () => Row[];
  readonly #editing: () => Editing;
  readonly #focus: RowFocus;
  /** The row whose text is open. */
  #text = $state<string>();
  /** The rows whose details are open. */
  readonly #details = new SvelteSet<string>();
  /** A row that was brought back, until it exists. */
  #returning: string | undefined;

  constructor(rows: () => Row[], editing: () => Editing, focus: RowFocus) {
    this.#rows = rows;
    this.#editing = editing;
    this.#focus = focus;
  }

  hasEditor({ item }: Row): boolean {
    return this.#text === item.uid || this.#editing().drafts.of(item.uid).content !== undefined;
  }

  hasDetails({ item }: Row): boolean {
    const { activeForm, notes } = this.#editing().drafts.of(item.uid);
    return this.#details.has(item.uid) || activeForm !== undefined || notes !== undefined;
  }

  openText({ item }: Row): void {
    this.#text = item.uid;
  }

  closeText({ item }: Row, toRow: boolean): void {
    if (this.#text === item.uid) this.#text = undefined;
    if (toRow) this.#focus.on(item.uid);
  }

  toggleDetails(row: Row): void {
    if (!this.closeDetails(row)) this.#details.add(row.item.uid);
  }

  /** Opens a row's details; where they are open, goes into them. */
  enterDetails({ item }: Row): void {
    if (!this.#details.has(item.uid)) {
      this.#details.add(item.uid);
      return;
    }
    const inside = this.#focus.elementOf(item.uid)?.querySelector("[data-details]");
    const first = ["[aria-checked=true]", "button"].map((each) => inside?.querySelector<HTMLElement>(each));
    first.find(Boolean)?.focus();
  }

  /** True if there was something to close. */
  closeDetails({ item }: Row): boolean {
    const isClosed = this.#details.delete(item.uid);
    if (isClosed) this.#focus.on(item.uid);
    return isClosed;
  }

  /** Brings a step back with what was typed into it; the focus goes with it. */
  async bringBack(item: Item): Promise<Failure | undefined> {
    const refused = await this.#editing().bringBack(item);
    if (refused) return refused;
    this.#returning = item.uid;
    this.welcome();
    return undefined;
  }

  /** Once a step that was brought back exists, it has the words itself, and the focus. */
  welcome(): void {
    const row = this.#rows().find(({ item }) => item.uid === this.#returning);
    if (!row || row.gone) return;
    this.#returning = undefined;
    if (this.#text === row.item.uid) this.#text = undefined;
    this.#editing().drafts.discard(row.item.uid);
    this.#focus.on(row.item.uid);
  }

  /** Lets go of a step that is gone, with what was typed into it. */
  discard({ item }: Row): void {
    const rows = this.#rows();
    const next = rows[rows.findIndex((row) => row.item.uid === item.uid) + 1] ?? rows.at(-2);
    this.#editing().drafts.discard(item.uid);
    this.#focus.on(next?.item.uid);
  }

  /** Forgets rows that are in the list no more. */
  prune(uids: string[]): void {
    if (this.#text !== undefined && !uids.includes(this.#text)) this.#text = undefined;
    for (const uid of this.#details) if (!uids.includes(uid)) this.#details.delete(uid);
  }
}
