import { SvelteMap } from "svelte/reactivity";
import { toFailure, type Failure } from "../backend/backend";
import type { EditView, Edited, Item, Priority, Revisions, Status } from "../protocol/types";
import { number } from "../shared/text/numbers";
import { brief } from "../shared/text/plain";
import { m } from "../paraglide/messages";
import { Drafts } from "./drafts.svelte";
import type { Gateway } from "./gateway.svelte";
import { live } from "../shared/live.svelte";
import { whenSlow } from "../shared/slow";
import { toasts } from "../shared/toast.svelte";

type OwnEdit = { editId: string; undone: string };

/** The messages of a change: when it is done, when it is taken back, when it was refused. */
type Words = { done: string; undone: string; refused: string };

/** Fields of an item that get another value; null takes one away. */
export type ItemFields = {
  content?: string;
  activeForm?: string | null;
  priority?: Priority | null;
  notes?: string | null;
};

/** The user's edits of one session's list. Nothing is shown as done before the gateway says so. */
export class Editing {
  /** The uids of items that are being removed, and have been for long enough to show it. */
  readonly removing = new SvelteMap<string, true>();
  clearing = $state(false);
  readonly drafts = new Drafts();

  readonly #gateway: Gateway;
  readonly #session: { sessionId: string };
  /** This window's own edits that can still be undone, newest last. */
  #own: OwnEdit[] = [];
  /** The changes under way: a key that is held down asks once. */
  readonly #asked = new Set<string>();

  constructor(gateway: Gateway, sessionId: string) {
    this.#gateway = gateway;
    this.#session = { sessionId };
  }

  /** Adds a step and gives the list with it; the caller shows a failure beside its field. */
  async add(content: string, position: string | undefined): Promise<Item[] | Failure> {
    try {
      const { editId, todos } = await this.#gateway.call("todo.add", {
        ...this.#session,
        content,
        ...(position === undefined ? {} : { position }),
      });
      this.#own.push({ editId, undone: m.session_removed_again({ step: brief(content) }) });
      return todos;
    } catch (thrown) {
      return toFailure(thrown);
    }
  }

  async remove(item: Item): Promise<boolean> {
    if (this.removing.has(item.uid)) return false;
    const step = brief(item.content);
    const count = item.subtasks?.length ?? 0;
    const over = whenSlow(() => this.removing.set(item.uid, true));
    try {
      const { editId } = await this.#gateway.call("todo.delete", { ...this.#session, uid: item.uid });
      const done =
        count > 0 ? m.session_step_removed_with({ step, count }) : m.session_step_removed({ step });
      this.#done({ editId, undone: m.session_is_back({ step }) }, done);
      return true;
    } catch (thrown) {
      this.#failed(m.session_not_removed({ step }), thrown);
      return false;
    } finally {
      over();
      this.removing.delete(item.uid);
    }
  }

  async clear(steps: number): Promise<void> {
    const over = whenSlow((isSlow) => (this.clearing = isSlow));
    try {
      const { editId } = await this.#gateway.call("todo.clear", this.#session);
      const undone = m.session_steps_back({ count: steps });
      this.#done({ editId, undone }, m.session_list_cleared({ count: steps }));
    } catch (thrown) {
      this.#failed(m.session_not_cleared(), thrown);
    } finally {
      over();
    }
  }

  async setStatus(item: Item, status: Status): Promise<boolean> {
    const step = brief(item.content);
    const { uid } = item;
    return this.#ask(
      uid,
      () => this.#gateway.call("todo.setStatus", { ...this.#session, uid, status }),
      {
        done: m.session_status_is({ step, status: m.common_status({ status }) }),
        undone: m.session_status_again({ step, status: m.common_status({ status: item.status }) }),
        refused: m.session_not_changed({ step }),
      },
      item,
    );
  }

  /** Puts an item elsewhere on its level. */
  async move(item: Item, from: string, to: string): Promise<boolean> {
    const step = brief(item.content);
    const { uid } = item;
    return this.#ask(
      uid,
      () => this.#gateway.call("todo.move", { ...this.#session, uid, to }),
      {
        done: m.session_is_now({ step, position: to }),
        undone: m.session_back_at({ step, position: from }),
        refused: m.session_not_moved({ step }),
      },
      item,
    );
  }

  /** Queues again what the agent overrode or ignored. */
  async insist({ editId, text }: Pick<EditView, "editId" | "text">): Promise<boolean> {
    const step = brief(text);
    return this.#ask(editId, () => this.#gateway.call("edit.insist", { ...this.#session, editId }), {
      done: m.session_insisted({ step }),
      undone: m.session_insisting_over({ step }),
      refused: m.session_not_insisted({ step }),
    });
  }

  /** Gives an item another priority, or none; false where it was refused. */
  async setPriority(item: Item, priority: Priority | null): Promise<boolean> {
    const step = brief(item.content);
    const { uid } = item;
    // A name of its own, since the types leave out the fields that an item may have.
    const request = { ...this.#session, uid, priority };
    return this.#ask(
      uid,
      () => this.#gateway.call("todo.edit", request),
      {
        done: m.session_priority_is({ step, priority: priority ?? "none" }),
        undone: m.session_priority_again({ step, priority: item.priority ?? "none" }),
        refused: m.session_not_changed({ step }),
      },
      item,
    );
  }

  /** Assigns an item to one of the agents that share the list, or to none of them. */
  async assign(item: Item, owner: string | undefined): Promise<boolean> {
    const step = brief(item.content);
    const { uid } = item;
    const request = { ...this.#session, uid, owner: owner ?? null };
    const words = (name: string | undefined) =>
      name === undefined
        ? m.session_assigned_nobody({ step })
        : m.session_assigned_agent({ step, agent: brief(name) });
    return this.#ask(
      uid,
      () => this.#gateway.call("todo.edit", request),
      { done: words(owner), undone: words(item.owner), refused: m.session_not_changed({ step }) },
      item,
    );
  }

  /** Gives an item's fields other values; the caller shows a failure beside its field. */
  async save(item: Item, fields: ItemFields): Promise<Failure | undefined> {
    const request = { ...this.#session, uid: item.uid, ...fields };
    try {
      const { editId } = await this.#gateway.call("todo.edit", request);
      const step = brief(item.content);
      const { content } = fields;
      const undone = content === undefined ? m.session_as_it_was({ step }) : m.session_is_back({ step });
      this.#keep({ editId, undone });
      live.say(content === undefined ? m.session_saved() : m.session_changed_to({ step: brief(content) }));
      return undefined;
    } catch (thrown) {
      return toFailure(thrown);
    }
  }

  /** Brings back an item that is gone. */
  async restore({ uid, content }: Item): Promise<Failure | undefined> {
    try {
      const { editId } = await this.#gateway.call("todo.restore", { ...this.#session, uid });
      const step = brief(content);
      this.#keep({ editId, undone: m.session_removed_again({ step }) });
      live.say(m.session_told_back({ step }));
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

  /** Makes an earlier list the list; false where it was refused, which is told. */
  async load(from: string, revision: number): Promise<boolean> {
    try {
      const { editId } = await this.#gateway.call("session.load", { ...this.#session, from, revision });
      const done = m.session_past_loaded({ at: number(revision) });
      this.#done({ editId, undone: m.session_past_unloaded() }, done);
      return true;
    } catch (thrown) {
      this.#failed(m.session_past_not_loaded(), thrown);
      return false;
    }
  }

  /** An edit of this window's that was made elsewhere, so that it can be taken back here. */
  note(editId: string, undone: string): void {
    this.#keep({ editId, undone });
  }

  /** The authors of an item, newest first. */
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
      else if (edited) {
        const undone = m.session_taken_back({ what: brief(output, 120) });
        this.#keep({ editId: edited.editId, undone });
      }
      return output;
    } catch (thrown) {
      return toFailure(thrown);
    }
  }

  /** Sends the agent a note; the caller shows a failure beside its field. */
  async tell(text: string): Promise<Failure | undefined> {
    try {
      const { editId } = await this.#gateway.call("note.send", { ...this.#session, text });
      const note = brief(text);
      this.#keep({ editId, undone: m.session_note_taken_back({ note }) });
      live.say(m.session_note_for_agent({ note }));
      return undefined;
    } catch (thrown) {
      return toFailure(thrown);
    }
  }

  /** Takes back this window's newest edit of this list; says so where there is none. */
  undoNewest(): void {
    const newest = this.#own.at(-1);
    if (newest) void this.#undo(newest);
    else toasts.show({ text: m.session_nothing_to_undo(), tone: "plain" });
  }

  /** Takes back one edit; one that is not this window's own is refused. */
  undo(editId: string): void {
    const own = this.#own.find((edit) => edit.editId === editId) ?? {
      editId,
      undone: m.session_list_is_back(),
    };
    if (!this.#own.includes(own)) this.#own.push(own);
    void this.#undo(own);
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
    if (refused) this.#failed(m.session_not_back({ step: brief(item.content) }), refused);
    else await again();
  }

  /** Without an id nothing was changed, so there is nothing to take back. */
  #keep(edit: OwnEdit): void {
    if (edit.editId !== "") this.#own.push(edit);
  }

  #done(edit: OwnEdit, text: string): void {
    this.#own.push(edit);
    toasts.offerUndo(text, () => void this.#undo(edit));
  }

  #failed(text: string, thrown: unknown, again?: () => void): void {
    const { code, message } = toFailure(thrown);
    const offered = code === "ITEM_REMOVED" && again;
    const action = offered ? { label: m.common_bring_back(), run: again } : undefined;
    toasts.show({ text: `${text} ${message}`, tone: "failed", action });
  }

  async #undo(edit: OwnEdit): Promise<void> {
    if (!this.#own.includes(edit)) return;
    this.#own = this.#own.filter((other) => other !== edit);
    try {
      await this.#gateway.call("todo.undo", { ...this.#session, editId: edit.editId });
      toasts.show({ text: edit.undone, tone: "plain" });
    } catch (thrown) {
      const failure = toFailure(thrown);
      if (failure.code !== "CANNOT_UNDO") this.#own.push(edit);
      this.#failed(m.session_not_undone(), failure);
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
