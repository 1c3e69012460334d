import { SvelteMap } from "svelte/reactivity";
import type { Row } from "./rows";

/** The fields of a step that are typed. */
export type TypedField = "content" | "activeForm" | "notes";

export type Words = Partial<Record<TypedField, string>>;

type Draft = { row: Row; words: Words };

/**
 * The texts that the user has typed into a list's steps and not saved yet.
 *
 * It is kept here, not in the fields, so that nothing takes it away: not a change by somebody else, not a step that
 * goes, not another page.
 */
export class Drafts {
  readonly #drafts = new SvelteMap<string, Draft>();

  /** The rows that something is typed into, as they were then. */
  get rows(): Row[] {
    return [...this.#drafts.values()].map(({ row }) => row);
  }

  get isEmpty(): boolean {
    return this.#drafts.size === 0;
  }

  of(uid: string): Words {
    return this.#drafts.get(uid)?.words ?? {};
  }

  /** Keeps what is typed into a field; without a text it is forgotten. */
  keep(row: Row, field: TypedField, text: string | undefined): void {
    const { uid } = row.item;
    const { [field]: _, ...others } = this.of(uid);
    const words: Words = text === undefined ? others : { ...others, [field]: text };
    if (Object.keys(words).length === 0) this.#drafts.delete(uid);
    else this.#drafts.set(uid, { row, words });
  }

  discard(uid: string): void {
    this.#drafts.delete(uid);
  }
}
