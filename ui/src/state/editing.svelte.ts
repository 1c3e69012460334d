import { SvelteMap } from "svelte/reactivity";
import { toFailure, type Failure } from "../backend/backend";
import type { EditView, Edited, Item, Priority, Revisions, Status } from "../protocol/types";
import { brief } from "../text/plain";
import { STATUS_WORDS, count } from "../text/words";
import { Drafts } from "./drafts.svelte";
import type { Gateway } from "./gateway.svelte";
import { live } from "./live.svelte";
import { whenSlow } from "./slow";
import { toasts } from "./toast.svelte";

type OwnEdit = { editId: string; undone: string };

/** What is told of a change: when it is done, when it is taken back, when it was refused. */
type Words = { done: string; undone: string; refused: string };

/** Fields of an item that get another value; null takes one away. */
export type ItemFields = {
  content?: string;
  activeForm?: string | null;
  priority?: Priority | null;
  notes?: string | null;
};

/** What the user does to one session's list. Nothing is shown as done before the gateway says so. */
export class Editing {
  /** The uids of items that are being removed, and have been for long enough to show it. */
  readonly removing = new SvelteMap<string, true>();
  clearing = $state(false);
  readonly drafts = new Drafts();

  readonly #gateway: Gateway;
  readonly #sessionId: string;
  /** This window's own edits that can still be undone, newest last. */
  #own: OwnEdit[] = [];
  /** What is being changed right now: a key that is held down asks once. */
  readonly #asked = new Set<string>();

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
    const over = whenSlow(() => this.removing.set(item.uid, true));
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
      over();
      this.removing.delete(item.uid);
    }
  }

  async clear(steps: number): Promise<void> {
    const over = whenSlow(() => (this.clearing = true));
    try {
      const { editId } = await this.#gateway.call("todo.clear", { sessionId: this.#sessionId });
      const undone = steps === 1 ? "1 step is back." : `${steps} steps are back.`;
      this.#done({ editId, undone }, `Cleared ${count(steps, "step")}.`);
    } catch (thrown) {
      this.#failed("The list was not cleared.", thrown);
    } finally {
      over();
      this.clearing = false;
    }
  }

  async setStatus(item: Item, status: Status): Promise<void> {
    const name = `“${brief(item.content)}”`;
    const { uid } = item;
    await this.#ask(
      uid,
      () => this.#gateway.call("todo.setStatus", { ...this.#session, uid, status }),
      {
        done: `${name}: ${STATUS_WORDS[status]}`,
        undone: `${name}: ${STATUS_WORDS[item.status]} again.`,
        refused: `${name} was not changed.`,
      },
      item,
    );
  }

  /** Puts an item elsewhere on its level. */
  async move(item: Item, from: string, to: string): Promise<void> {
    const name = `“${brief(item.content)}”`;
    const { uid } = item;
    await this.#ask(
      uid,
      () => this.#gateway.call("todo.move", { ...this.#session, uid, to }),
      {
        done: `${name} is now ${to}`,
        undone: `${name} is back at ${from}.`,
        refused: `${name} was not moved.`,
      },
      item,
    );
  }

  /** Queues again what the agent overrode or ignored. */
  async insist({ editId, text }: EditView): Promise<void> {
    const name = `“${brief(text)}”`;
    await this.#ask(editId, () => this.#gateway.call("edit.insist", { ...this.#session, editId }), {
      done: `Insisted on ${name}`,
      undone: `No longer insisting on ${name}.`,
      refused: `${name} was not queued again.`,
    });
  }

  /** Gives an item another priority, or none; false where it was refused. */
  async setPriority(item: Item, priority: Priority | null): Promise<boolean> {
    const name = `“${brief(item.content)}”`;
    const { uid } = item;
    // A name of its own, since the types leave out the fields that an item may have.
    const request = { ...this.#session, uid, priority };
    return this.#ask(
      uid,
      () => this.#gateway.call("todo.edit", request),
      {
        done: `${name}: ${priority ?? "no"} priority`,
        undone: `${name}: ${item.priority ?? "no"} priority again.`,
        refused: `${name} was not changed.`,
      },
      item,
    );
  }

  /** Gives an item's fields other values; the caller shows a failure beside its field. */
  async save(item: Item, fields: ItemFields): Promise<Failure | undefined> {
    const request = { ...this.#session, uid: item.uid, ...fields };
    try {
      const { editId } = await this.#gateway.call("todo.edit", request);
      const name = `“${brief(item.content)}”`;
      const undone = fields.content === undefined ? `${name} is as it was.` : `${name} is back.`;
      this.#keep({ editId, undone });
      live.say(fields.content === undefined ? "Saved" : `Changed to “${brief(fields.content)}”`);
      return undefined;
    } catch (thrown) {
      return toFailure(thrown);
    }
  }

  /** Brings back an item that is gone. */
  async restore({ uid, content }: Item): Promise<Failure | undefined> {
    try {
      const { editId } = await this.#gateway.call("todo.restore", { ...this.#session, uid });
      this.#keep({ editId, undone: `Removed “${brief(content)}” again.` });
      live.say(`“${brief(content)}” is back`);
      return undefined;
    } catch (thrown) {
      return toFailure(thrown);
    }
  }

  /** Brings an item back with what the user has typed into it; that is kept until the list has it. */
  async bringBack(item: Item): Promise<Failure | undefined> {
    const { content, ...others } = this.drafts.of(item.uid);
    const cleared = Object.entries(others).map(([field, text]) => [field, text.trim() || null]);
    const fields: ItemFields = { ...Object.fromEntries(cleared), ...(content !== undefined && { content }) };
    const refused = await this.restore(item);
    // Somebody else may have brought it back already.
    if (refused && refused.code !== "ITEM_NOT_FOUND") return refused;
    return this.save(item, fields);
  }

  /** Who made an item what it is, newest first. */
  history(uid: string, limit: number, cursor?: string): Promise<Revisions> {
    const more = cursor === undefined ? {} : { cursor };
    return this.#gateway.call("session.revisions", { ...this.#session, uid, limit, ...more });
  }

  /** Runs a line of the command bar and gives what it prints; the caller shows a failure under the line. */
  async command(line: string): Promise<string | Failure> {
    try {
      const { output, edited } = await this.#gateway.call("todo.command", { ...this.#session, line });
      // An undo names the edit that it took back: there is nothing left of that to undo.
      const others = this.#own.filter(({ editId }) => editId !== edited?.editId);
      if (others.length < this.#own.length) this.#own = others;
      else if (edited) this.#keep({ editId: edited.editId, undone: `Taken back: ${brief(output, 120)}` });
      return output;
    } catch (thrown) {
      return toFailure(thrown);
    }
  }

  /** Sends the agent a note; the caller shows a failure beside its field. */
  async tell(text: string): Promise<Failure | undefined> {
    try {
      const { editId } = await this.#gateway.call("note.send", { ...this.#session, text });
      this.#keep({ editId, undone: `The note “${brief(text)}” was taken back.` });
      live.say(`Note for the agent: “${brief(text)}”`);
      return undefined;
    } catch (thrown) {
      return toFailure(thrown);
    }
  }

  /** Takes back this window's newest edit of this list; says so where there is none. */
  undoNewest(): void {
    const newest = this.#own.at(-1);
    if (newest) void this.#undo(newest);
    else toasts.show({ text: "Nothing of yours to undo here.", tone: "plain" });
  }

  get #session(): { sessionId: string } {
    return { sessionId: this.#sessionId };
  }

  async #ask(key: string, call: () => Promise<Edited>, words: Words, item?: Item): Promise<boolean> {
    if (this.#asked.has(key)) return false;
    this.#asked.add(key);
    try {
      const { editId } = await call();
      this.#keep({ editId, undone: words.undone });
      live.say(words.done);
      return true;
    } catch (thrown) {
      const again = item && (() => void this.#restoreFor(item, () => this.#ask(key, call, words)));
      this.#failed(words.refused, thrown, again);
      return false;
    } finally {
      this.#asked.delete(key);
    }
  }

  /** Brings an item back, and then does again what could not be done without it. */
  async #restoreFor(item: Item, again: () => Promise<unknown>): Promise<void> {
    const refused = await this.restore(item);
    if (refused) this.#failed(`“${brief(item.content)}” did not come back.`, refused);
    else await again();
  }

  /** Without an id nothing was changed, so there is nothing to take back. */
  #keep(edit: OwnEdit): void {
    if (edit.editId !== "") this.#own.push(edit);
  }

  #done(edit: OwnEdit, text: string): void {
    this.#own.push(edit);
    toasts.show({ text, tone: "plain", action: { label: "Undo", run: () => void this.#undo(edit) } });
  }

  #failed(text: string, thrown: unknown, again?: () => void): void {
    const { code, message } = toFailure(thrown);
    const offered = code === "ITEM_REMOVED" && again;
    const action = offered ? { label: "Bring it back", run: again } : undefined;
    toasts.show({ text: `${text} ${message}`, tone: "failed", action });
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
