import { SvelteMap } from "svelte/reactivity";
import { toFailure, type Failure } from "../backend/backend";
import type { Item } from "../protocol/types";
import { brief } from "../text/plain";
import { count } from "../text/words";
import type { Gateway } from "./gateway.svelte";
import { toasts } from "./toast.svelte";

/** What is done within this time needs no sign that it is being done. */
const QUIET = 100;

type OwnEdit = { editId: string; undone: string };

/** What the user does to one session's list. Nothing is shown as done before the gateway says so. */
export class Editing {
  /** The uids of items that are being removed, and have been for long enough to show it. */
  readonly removing = new SvelteMap<string, true>();
  clearing = $state(false);

  readonly #gateway: Gateway;
  readonly #sessionId: string;
  /** This window's own edits that can still be undone, newest last. */
  #own: OwnEdit[] = [];

  constructor(gateway: Gateway, sessionId: string) {
    this.#gateway = gateway;
    this.#sessionId = sessionId;
  }

  /** Adds a step and gives the list with it; the caller shows a failure beside its field. */
  async add(content: string, position: string | undefined): Promise<Item[] | Failure> {
    try {
      const { editId, todos } = await this.#gateway.call("todo.add", {
        sessionId: this.#sessionId,
        content,
        ...(position === undefined ? {} : { position }),
      });
      this.#own.push({ editId, undone: `Removed “${brief(content)}” again.` });
      return todos;
    } catch (thrown) {
      return toFailure(thrown);
    }
  }

  async remove(item: Item): Promise<boolean> {
    if (this.removing.has(item.uid)) return false;
    const name = `“${brief(item.content)}”`;
    const subtasks = item.subtasks?.length ?? 0;
    const removed = subtasks > 0 ? `${name} and ${count(subtasks, "subtask")}` : name;
    const sign = setTimeout(() => this.removing.set(item.uid, true), QUIET);
    try {
      const { editId } = await this.#gateway.call("todo.delete", {
        sessionId: this.#sessionId,
        uid: item.uid,
      });
      this.#done({ editId, undone: `${name} is back.` }, `Removed ${removed}.`);
      return true;
    } catch (thrown) {
      this.#failed(`${name} was not removed.`, thrown);
      return false;
    } finally {
      clearTimeout(sign);
      this.removing.delete(item.uid);
    }
  }

  async clear(steps: number): Promise<void> {
    const sign = setTimeout(() => (this.clearing = true), QUIET);
    try {
      const { editId } = await this.#gateway.call("todo.clear", { sessionId: this.#sessionId });
      const undone = steps === 1 ? "1 step is back." : `${steps} steps are back.`;
      this.#done({ editId, undone }, `Cleared ${count(steps, "step")}.`);
    } catch (thrown) {
      this.#failed("The list was not cleared.", thrown);
    } finally {
      clearTimeout(sign);
      this.clearing = false;
    }
  }

  /** Takes back this window's newest edit of this list; says so where there is none. */
  undoNewest(): void {
    const newest = this.#own.at(-1);
    if (newest) void this.#undo(newest);
    else toasts.show({ text: "Nothing of yours to undo here.", tone: "plain" });
  }

  #done(edit: OwnEdit, text: string): void {
    this.#own.push(edit);
    toasts.show({ text, tone: "plain", undo: () => void this.#undo(edit) });
  }

  #failed(text: string, thrown: unknown): void {
    toasts.show({ text: `${text} ${toFailure(thrown).message}`, tone: "failed" });
  }

  async #undo(edit: OwnEdit): Promise<void> {
    if (!this.#own.includes(edit)) return;
    this.#own = this.#own.filter((other) => other !== edit);
    try {
      await this.#gateway.call("todo.undo", { sessionId: this.#sessionId, editId: edit.editId });
      toasts.show({ text: edit.undone, tone: "plain" });
    } catch (thrown) {
      const failure = toFailure(thrown);
      if (failure.code !== "CANNOT_UNDO") this.#own.push(edit);
      this.#failed("That could not be undone.", failure);
    }
  }
}

/** One `Editing` per session, so that what can be undone outlives the page that did it. */
export class Editings {
  readonly #each = new Map<string, Editing>();
  readonly #gateway: Gateway;

  constructor(gateway: Gateway) {
    this.#gateway = gateway;
  }

  of(sessionId: string): Editing {
    let editing = this.#each.get(sessionId);
    if (!editing) {
      editing = new Editing(this.#gateway, sessionId);
      this.#each.set(sessionId, editing);
    }
    return editing;
  }
}
