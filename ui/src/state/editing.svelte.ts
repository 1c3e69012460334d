import { SvelteMap } from "svelte/reactivity";
import { Failure, toFailure, type Fields } from "../backend/backend";
import { outcomeInWords } from "../backend/in-words";
import type { EditView, Edited, Item, PreviewedStep, Priority, Revisions, Status } from "../protocol/types";
import { number } from "../shared/text/numbers";
import { brief } from "../shared/text/plain";
import { m } from "../paraglide/messages";
import { Drafts } from "./drafts.svelte";
import { useOnDemand } from "./context";
import type { Gateway } from "./gateway.svelte";
import { InsertDraft } from "./insert-draft.svelte";
import { Outbox } from "./outbox.svelte";
import { readTyped } from "./rows";
import { Undoing, type Again } from "./undoing";
import { live } from "../shared/live.svelte";
import { whenSlow } from "../shared/slow";
import { toasts } from "../shared/toast.svelte";

/** The messages of a change: when it is done, when it is taken back, when it was refused. */
type Words = { done: string; undone: string; refused: string };

/** Fields of an item that get another value; null takes one away. */
export type ItemFields = {
  content?: string;
  activeForm?: string | null;
  priority?: Priority | null;
  notes?: string | null;
};

/** One of several edits that are made together. */
export type ItemEdit = {
  type: "todo.delete" | "todo.setStatus" | "todo.move" | "todo.indent";
  fields: { uid: string; status?: Status; to?: string; out?: boolean };
};

/** The user's edits of one session's list. Nothing is shown as done before the gateway says so. */
export class Editing {
  /** The uids of items that are being removed, and have been for long enough to show it. */
  readonly removing = new SvelteMap<string, true>();
  clearing = $state(false);
  readonly drafts = new Drafts();
  /** The lines in which steps are added and the agent is told something; what is typed there stays with the session. */
  readonly adding: Outbox;
  readonly telling: Outbox;
  readonly inserting: InsertDraft;
  readonly undoing: Undoing;

  readonly #gateway: Gateway;
  readonly #session: { sessionId: string };
  /** The changes under way: a key that is held down asks once. */
  readonly #asked = new Set<string>();

  constructor(gateway: Gateway, sessionId: string) {
    this.#gateway = gateway;
    this.#session = { sessionId };
    this.undoing = new Undoing(gateway, this.#session);
    this.adding = new Outbox((line) => this.#addLine(line), `add ${sessionId}`);
    this.inserting = new InsertDraft(sessionId);
    this.telling = new Outbox((line) => this.tell(line), `tell ${sessionId}`);
  }

  /** Adds a step and gives the list with it; the caller shows a failure beside its field. */
  async add(content: string, position: string | undefined): Promise<Item[] | Failure> {
    const before = this.#uids();
    try {
      const { editId, todos } = await this.#gateway.call("todo.add", {
        ...this.#session,
        content,
        ...(position === undefined ? {} : { position }),
      });
      const step = brief(content);
      const uid = uidsOf(todos).find((each) => !before.has(each));
      // The very step comes back, with what became of it meanwhile.
      const again =
        uid === undefined ? undefined : this.#again(m.session_is_back({ step }), "todo.restore", { uid });
      this.undoing.keep({ editIds: [editId], undone: m.session_removed_again({ step }), again });
      return todos;
    } catch (thrown) {
      return toFailure(thrown);
    }
  }

  /** Makes several edits as one, in their order; what was made until one is refused can be taken back. */
  async together(asked: readonly ItemEdit[], words: { done: string; undone: string }): Promise<void> {
    if (asked.length === 0 || this.#asked.has("together")) return;
    this.#asked.add("together");
    const made: Edited[] = [];
    const run = async (edited: Edited[]): Promise<Edited[]> => {
      for (const { type, fields } of asked) {
        // oxlint-disable-next-line no-await-in-loop
        edited.push(await this.#gateway.call(type, { ...this.#session, ...fields } as Fields<typeof type>));
      }
      return edited;
    };
    try {
      await run(made);
      toasts.offerUndo(words.done, () => this.undo(made.at(-1)?.editId ?? ""));
    } catch (thrown) {
      this.#failed(m.session_not_all_changed(), thrown);
    } finally {
      this.#asked.delete("together");
      const again = { done: words.done, run: () => run([]) };
      this.undoing.keep({ editIds: made.map(({ editId }) => editId), undone: words.undone, again });
    }
  }

  /** Reads the steps in a text that is pasted; none where it is no checklist. */
  async read(text: string): Promise<PreviewedStep[]> {
    return (await this.#gateway.call("todo.preview", { text })).steps;
  }

  /** Adds steps that were pasted, one after the other, to be taken back as one; the caller shows a failure. */
  async addAll(steps: readonly PreviewedStep[]): Promise<Failure | undefined> {
    const before = this.#uids();
    const editIds: string[] = [];
    let parent: string | undefined;
    try {
      for (const { content, status, isSubtask } of steps) {
        const position = isSubtask && parent !== undefined ? `${parent}.last` : "last";
        // A name of its own, since the types leave out the fields that an item may have.
        const request = { ...this.#session, content, position, status };
        // oxlint-disable-next-line no-await-in-loop
        const { editId, todos } = await this.#gateway.call("todo.add", request);
        editIds.push(editId);
        if (!isSubtask) parent = String(todos.length);
      }
    } catch (thrown) {
      return toFailure(thrown);
    } finally {
      this.#addedAll(editIds, before);
    }
    return undefined;
  }

  /** The outcome is told, also where not all could be added. */
  #addedAll(editIds: string[], before: ReadonlySet<string>): void {
    if (editIds.length === 0) return;
    const { length: count } = editIds;
    const done = m.session_steps_added({ count });
    const added = [...this.#uids()].filter((uid) => !before.has(uid));
    const restore = (uid: string): Promise<Edited> =>
      this.#gateway.call("todo.restore", { ...this.#session, uid });
    const run = async (): Promise<Edited[]> => {
      const edited: Edited[] = [];
      // oxlint-disable-next-line no-await-in-loop
      for (const uid of added) edited.push(await restore(uid));
      return edited;
    };
    this.undoing.keep({ editIds, undone: m.session_steps_removed_again({ count }), again: { done, run } });
    toasts.offerUndo(done, () => this.undo(editIds.at(-1) ?? ""));
  }

  #uids(): Set<string> {
    return new Set(uidsOf(this.#gateway.get(this.#session.sessionId)?.known.todos ?? []));
  }

  async #addLine(line: string): Promise<Failure | undefined> {
    const { content, position } = readTyped(line);
    const outcome = await this.add(content, position);
    if (outcome instanceof Failure) return outcome;
    live.say(m.session_added({ step: brief(content) }));
    return undefined;
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
      const again = this.#again(done, "todo.delete", { uid: item.uid });
      this.#done(editId, m.session_is_back({ step }), done, again);
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
      const done = m.session_list_cleared({ count: steps });
      this.#done(editId, m.session_steps_back({ count: steps }), done, this.#again(done, "todo.clear", {}));
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

  /** Puts an item under the one above it, or out of the one that it belongs to. */
  async indent(item: Item, from: string, out: boolean): Promise<boolean> {
    const step = brief(item.content);
    const { uid } = item;
    return this.#ask(
      uid,
      () => this.#gateway.call("todo.indent", { ...this.#session, uid, out }),
      {
        done: out ? m.session_is_step({ step }) : m.session_is_subtask({ step }),
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
      const done = content === undefined ? m.session_saved() : m.session_changed_to({ step: brief(content) });
      const run = async () => [await this.#gateway.call("todo.edit", request)];
      this.undoing.keep({ editIds: [editId], undone, again: { done, run } });
      live.say(done);
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
      const again = this.#again(m.session_is_back({ step }), "todo.restore", { uid });
      this.undoing.keep({ editIds: [editId], undone: m.session_removed_again({ step }), again });
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
      const again = this.#again(done, "session.load", { from, revision });
      this.#done(editId, m.session_past_unloaded(), done, again);
      return true;
    } catch (thrown) {
      this.#failed(m.session_past_not_loaded(), thrown);
      return false;
    }
  }

  /** An edit of this window's that was made elsewhere, so that it can be taken back here. */
  note(editId: string, undone: string): void {
    this.undoing.keep({ editIds: [editId], undone });
  }

  /** The authors of an item, newest first. */
  history(uid: string, limit: number, cursor?: string): Promise<Revisions> {
    const more = cursor === undefined ? {} : { cursor };
    return this.#gateway.call("session.revisions", { ...this.#session, uid, limit, ...more });
  }

  /** Runs a line of the command bar and gives what it prints; the caller shows a failure under the line. */
  async command(line: string): Promise<string | Failure> {
    try {
      const commanded = await this.#gateway.call("todo.command", { ...this.#session, line });
      const [{ edited }, output] = [commanded, outcomeInWords(commanded)];
      // An undo names the edit that it took back: there is nothing left of that to undo.
      if (edited && !this.undoing.forget(edited.editId)) {
        this.note(edited.editId, m.session_taken_back({ what: brief(output, 120) }));
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
      const done = m.session_note_for_agent({ note });
      const again = this.#again(done, "note.send", { text });
      this.undoing.keep({ editIds: [editId], undone: m.session_note_taken_back({ note }), again });
      live.say(done);
      return undefined;
    } catch (thrown) {
      return toFailure(thrown);
    }
  }

  /** Takes back this window's newest edit of this list; says so where there is none. */
  undoNewest(): void {
    if (this.undoing.newest > 0) void this.undoing.undoNewest();
    else toasts.show({ text: m.session_nothing_to_undo(), tone: "plain" });
  }

  /** Takes back one edit; one that is not this window's own is refused. */
  undo(editId: string): void {
    void this.undoing.undo(editId);
  }

  /** The way to make an edit once more. */
  #again<T extends "todo.restore" | "todo.delete" | "todo.clear" | "session.load" | "note.send">(
    done: string,
    type: T,
    fields: Omit<Fields<T>, "sessionId">,
  ): Again {
    const asked = { ...this.#session, ...fields } as Fields<T>;
    return { done, run: async () => [await this.#gateway.call(type, asked)] };
  }

  async #ask(key: string, call: () => Promise<Edited>, words: Words, item?: Item): Promise<boolean> {
    if (this.#asked.has(key)) return false;
    this.#asked.add(key);
    try {
      const { editId } = await call();
      const again = { done: words.done, run: async () => [await call()] };
      this.undoing.keep({ editIds: [editId], undone: words.undone, again });
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

  #done(editId: string, undone: string, text: string, again: Again): void {
    this.undoing.keep({ editIds: [editId], undone, again });
    toasts.offerUndo(text, () => this.undo(editId));
  }

  #failed(text: string, thrown: unknown, again?: () => void): void {
    const { code, message } = toFailure(thrown);
    const offered = code === "ITEM_REMOVED" && again;
    const action = offered ? { label: m.common_bring_back(), run: again } : undefined;
    toasts.show({ text: `${text} ${message}`, tone: "failed", action });
  }
}

function uidsOf(todos: Item[]): string[] {
  return todos.flatMap(({ uid, subtasks = [] }) => [uid, ...subtasks.map((each) => each.uid)]);
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

  /** Takes back the newest edit of some lists, else of all; says so where there is none. */
  undoNewest(sessionIds?: readonly string[]): void {
    const newest = this.#newest(sessionIds, (each) => each.newest);
    if (newest) void newest.undoNewest();
    else toasts.show({ text: m.session_nothing_to_undo(), tone: "plain" });
  }

  /** Makes again what was taken back last there; says so where there is nothing. */
  redoNewest(sessionIds?: readonly string[]): void {
    const newest = this.#newest(sessionIds, ({ newestUndone }) => newestUndone);
    if (newest) void newest.redoNewest();
    else toasts.show({ text: m.session_nothing_to_redo(), tone: "plain" });
  }

  #newest(ids: readonly string[] | undefined, numberOf: (of: Undoing) => number): Undoing | undefined {
    const all = [...this.#each].filter(([id]) => ids?.includes(id) ?? true).map(([, { undoing }]) => undoing);
    return all.filter((each) => numberOf(each) > 0).toSorted((a, b) => numberOf(b) - numberOf(a))[0];
  }
}

/** The user's edits of lists, for the pages of the window. */
export const useEditings = (): Editings => useOnDemand().of(Editings);
