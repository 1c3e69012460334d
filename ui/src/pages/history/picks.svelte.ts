import { SvelteSet } from "svelte/reactivity";
import type { Line } from "../../state/arrange";

/** The lists that are picked, to do something with all of them. */
export class Picks {
  readonly #ids = new SvelteSet<string>();
  /** Where the last was picked, by its line. */
  #anchor: string | undefined;

  get size(): number {
    return this.#ids.size;
  }

  get ids(): string[] {
    return [...this.#ids];
  }

  has(listId: string): boolean {
    return this.#ids.has(listId);
  }

  toggle({ id, listId }: Line): void {
    if (!this.#ids.delete(listId)) this.#ids.add(listId);
    this.#anchor = id;
  }

  /** All lines between two. */
  span(from: number, to: number, lines: readonly Line[]): void {
    for (const { listId } of lines.slice(Math.min(from, to), Math.max(from, to) + 1)) this.#ids.add(listId);
  }

  /** All from the line that was picked last. */
  reach(line: Line, lines: readonly Line[]): void {
    const anchor = lines.findIndex(({ id }) => id === this.#anchor);
    const at = lines.indexOf(line);
    this.span(anchor < 0 ? at : anchor, at, lines);
    this.#anchor = line.id;
  }

  all(lines: readonly Line[]): void {
    this.span(0, lines.length - 1, lines);
  }

  drop(ids: readonly string[]): void {
    for (const id of ids) this.#ids.delete(id);
  }

  clear(): void {
    this.#ids.clear();
    this.#anchor = undefined;
  }
}
