import { SvelteSet } from "svelte/reactivity";
import { m } from "../../paraglide/messages";
import type { Status } from "../../protocol/types";
import { live } from "../../shared/live.svelte";
import { besidePosition, hasOtherLevel, type Row } from "../../state/rows";
import type { KnownSession } from "../../state/apply";
import type { Editing } from "../../state/editing.svelte";

/** Several steps of a list, which something is done to together. */
export class Selection {
  readonly #uids = new SvelteSet<string>();
  readonly #rows: () => Row[];
  /** The step from which a range goes. */
  #anchor: string | undefined;

  constructor(rows: () => Row[]) {
    this.#rows = rows;
  }

  get rows(): Row[] {
    return this.#uids.size === 0 ? [] : this.#rows().filter(({ item }) => this.#uids.has(item.uid));
  }

  has(uid: string): boolean {
    return this.#uids.has(uid);
  }

  toggle(uid: string): void {
    if (!this.#uids.delete(uid)) this.#uids.add(uid);
    this.#anchor = uid;
    this.#say();
  }

  /** Selects all from the one that was selected first, else from `from`, to another. */
  reach(from: string | undefined, to: string): void {
    const rows = this.#rows().filter(({ gone }) => !gone);
    if (this.#uids.size === 0) this.#anchor = from ?? to;
    const ends = [this.#anchor, to].map((uid) => rows.findIndex(({ item }) => item.uid === uid));
    const [first, last] = [Math.max(0, Math.min(...ends)), Math.max(...ends)];
    this.#uids.clear();
    for (const { item } of rows.slice(first, last + 1)) this.#uids.add(item.uid);
    this.#say();
  }

  clear(): boolean {
    const hadSome = this.#uids.size > 0;
    this.#uids.clear();
    return hadSome;
  }

  /** Steps that went away are not selected any more. */
  prune(uids: readonly string[]): void {
    const there = new Set(uids);
    for (const uid of this.#uids) if (!there.has(uid)) this.#uids.delete(uid);
  }

  #say(): void {
    live.say(m.session_selected({ count: this.#uids.size }));
  }
}

/** Those that are not removed with a step above them. */
function roots(rows: Row[]): Row[] {
  const tops = new Set(rows.filter(({ isSubtask }) => !isSubtask).map(({ position }) => position));
  return rows.filter(({ isSubtask, position }) => !isSubtask || !tops.has(position.split(".")[0] ?? ""));
}

export function removeTogether(editing: Editing, rows: Row[]): void {
  const items = roots(rows).map(({ item }) => item);
  const { length: count } = items;
  void editing.together(
    items.map(({ uid }) => ({ type: "todo.delete", fields: { uid } })),
    { done: m.session_steps_removed({ count }), undone: m.session_steps_back({ count }) },
  );
}

export function setTogether(editing: Editing, rows: Row[], status: Status): void {
  const { length: count } = rows;
  void editing.together(
    rows.map(({ item: { uid } }) => ({ type: "todo.setStatus", fields: { uid, status } })),
    {
      done: m.session_steps_set({ count, status: m.common_status({ status }) }),
      undone: m.session_steps_as_before({ count }),
    },
  );
}

/** Puts all on the other level that can be there. Those that come out of one item keep their order. */
export function indentTogether(editing: Editing, rows: Row[], out: boolean): void {
  const able = rows.filter(({ position }) => hasOtherLevel(position, out));
  const { length: count } = able;
  void editing.together(
    (out ? able.toReversed() : able).map(({ item: { uid } }) => ({
      type: "todo.indent" as const,
      fields: { uid, out },
    })),
    { done: m.session_steps_moved({ count }), undone: m.session_steps_as_before({ count }) },
  );
}

/** Moves all by one place on their levels; those at the end of theirs hold up the rest. */
export function moveTogether(editing: Editing, { todos }: KnownSession, rows: Row[], by: -1 | 1): void {
  const moved = roots(rows);
  const order = by < 0 ? moved : moved.toReversed();
  const places = order.map(({ item: { uid }, position }) => ({
    uid,
    to: besidePosition(todos, position, by),
  }));
  const first = places[0];
  if (first?.to === undefined) return;
  const { length: count } = places;
  void editing.together(
    places.flatMap(({ uid, to }) =>
      to === undefined ? [] : [{ type: "todo.move" as const, fields: { uid, to } }],
    ),
    { done: m.session_steps_moved({ count }), undone: m.session_steps_as_before({ count }) },
  );
}
