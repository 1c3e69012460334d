import { toFailure } from "../backend/backend";
import type { Edited } from "../protocol/types";
import { m } from "../paraglide/messages";
import { toasts } from "../shared/toast.svelte";
import type { Gateway } from "./gateway.svelte";

/** An edit of this window's, or several that were made as one. */
export type OwnEdit = {
  editIds: readonly string[];
  /** The message once it is taken back. */
  undone: string;
  /** Makes it once more, where that can be done, and the message then. */
  again?: Again | undefined;
};

export type Again = { done: string; run: () => Promise<readonly Edited[]> };

type Kept = OwnEdit & { number: number };

/** Edits are counted over all lists, so that the newest of several lists is known. */
let count = 0;

/** This window's edits of one list that can be taken back, and those that were, which can be made again. */
export class Undoing {
  readonly #gateway: Gateway;
  readonly #session: { sessionId: string };
  #done: Kept[] = [];
  #undone: Kept[] = [];
  #isBusy = false;

  constructor(gateway: Gateway, session: { sessionId: string }) {
    this.#gateway = gateway;
    this.#session = session;
  }

  /** The number of the newest edit that can be taken back; the higher, the newer. */
  get newest(): number {
    return this.#done.at(-1)?.number ?? 0;
  }

  /** The number of the edit that was taken back last. */
  get newestUndone(): number {
    return this.#undone.at(-1)?.number ?? 0;
  }

  /** Keeps an edit. Without an id nothing was changed, so there is nothing to take back. */
  keep(edit: OwnEdit): void {
    const editIds = edit.editIds.filter((id) => id !== "");
    if (editIds.length === 0) return;
    this.#done.push({ ...edit, editIds, number: ++count });
    this.#undone = [];
  }

  /** Forgets an edit that was taken back elsewhere; false where it is not known. */
  forget(editId: string): boolean {
    const others = this.#done.filter(({ editIds }) => !editIds.includes(editId));
    const isKnown = others.length < this.#done.length;
    this.#done = others;
    return isKnown;
  }

  /** Takes back one edit; one that is not this window's own is refused by the gateway. */
  async undo(editId: string): Promise<void> {
    const own = this.#done.find(({ editIds }) => editIds.includes(editId));
    await this.#undo(own ?? { editIds: [editId], undone: m.session_list_is_back(), number: ++count });
  }

  async undoNewest(): Promise<void> {
    const newest = this.#done.at(-1);
    if (newest) await this.#undo(newest);
  }

  /** Makes again what was taken back last. */
  async redoNewest(): Promise<void> {
    const last = this.#undone.at(-1);
    if (!last?.again || this.#isBusy) return;
    this.#isBusy = true;
    try {
      const edited = await last.again.run();
      this.#undone = this.#undone.filter((other) => other !== last);
      const editIds = edited.map(({ editId }) => editId).filter((id) => id !== "");
      if (editIds.length > 0) this.#done.push({ ...last, editIds, number: ++count });
      toasts.show({ text: last.again.done, tone: "plain" });
    } catch (thrown) {
      this.#undone = this.#undone.filter((other) => other !== last);
      toasts.fail(`${m.session_not_redone()} ${toFailure(thrown).message}`);
    } finally {
      this.#isBusy = false;
    }
  }

  async #undo(edit: Kept): Promise<void> {
    // A key that is held down takes back one after the other.
    if (this.#isBusy) return;
    this.#isBusy = true;
    this.#done = this.#done.filter((other) => other !== edit);
    const left = [...edit.editIds];
    try {
      for (let editId = left.at(-1); editId !== undefined; editId = left.at(-1)) {
        // oxlint-disable-next-line no-await-in-loop
        await this.#gateway.call("todo.undo", { ...this.#session, editId });
        left.pop();
      }
      if (edit.again) this.#undone.push({ ...edit, number: ++count });
      toasts.show({ text: edit.undone, tone: "plain" });
    } catch (thrown) {
      const failure = toFailure(thrown);
      if (failure.code !== "CANNOT_UNDO") this.#done.push({ ...edit, editIds: left });
      toasts.fail(`${m.session_not_undone()} ${failure.message}`);
    } finally {
      this.#isBusy = false;
    }
  }
}
