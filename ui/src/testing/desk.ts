import { KEYS, LOG } from "./access";
import { Failure, type Backend, type Message } from "../backend/backend";
import type { Shell } from "../backend/shell";
import type {
  ChangedFile,
  Actor,
  Answers,
  EditView,
  Item,
  Need,
  NeedDismiss,
  Request,
  RevisionView,
  Rights,
  SessionTodos,
  Settings,
  TextRef,
} from "../protocol/types";
import { DeskArchive } from "./archive";
import { DeskChat } from "./chat";
import { DeskLater } from "./later";
import { completionsOf, stepsOf, showList } from "./commands";
import { indent, insert, move, patch } from "./lists";
import { DeskMachine } from "./machine";
import { DeskMachines } from "./machines";
import { DeskPermissions } from "./permissions";
import { AT, edit, item, session as sample } from "./samples";
import { change, SETTINGS } from "./settings";

type Call = { type: Request["type"]; fields: Record<string, unknown> };

const AGENT: Actor = { kind: "agent", name: "codex", transport: "mcp" };
const USER: Actor = { kind: "user", name: "you", transport: "page" };

function originOf(host: unknown): string {
  return typeof host === "string" ? `https://${host}` : "http://127.0.0.1:3271";
}

/** A gateway on the desk: it holds sessions and answers as the real one does, for what the tests ask. */
export class Desk implements Backend {
  readonly calls: Call[] = [];
  /** A warning to the user about the data. */
  notice: string | undefined;
  noticeText: TextRef | undefined;
  readonly machine = new DeskMachine();
  /** The sessions before those of the desk. */
  readonly archive = new DeskArchive();
  /** Permissions that agents ask for, and the rules. */
  readonly permissions = new DeskPermissions();
  /** The files that every session has changed. */
  files: ChangedFile[] = [];
  /** Steps and messages that are kept for later. */
  readonly later = new DeskLater((message) => this.tell(message));
  /** Other machines whose sessions are here. */
  readonly machines = new DeskMachines((message) => this.tell(message));
  /** The rights of the page; nothing where it is the window of the gateway's own process. */
  rights: Rights | undefined;
  /** The messages to the built-in agent. */
  readonly chat = new DeskChat((message) => this.tell(message));
  /** The desktop's window, where a test has one. */
  shell?: Shell;
  settings: Settings = SETTINGS;
  keys = KEYS;
  codeExpires = "2026-11-21T09:40:00Z";
  log = LOG;
  /** Makes every change fail, while it is set. */
  refusal: Failure | undefined;
  /** The sentences about what an export has not. */
  leftOut: string[] = [];
  #sessions = new Map<string, SessionTodos>();
  #listener: ((message: Message) => void) | undefined;
  #before = new Map<string, Item[]>();
  #gone = new Map<string, Item>();
  #dismissed = new Map<string, Need>();
  #revisions = new Map<string, RevisionView[]>();
  /** Every list there was, by its session and revision. */
  #lists = new Map<string, Item[]>();
  /** Holds every completion back until it is called. */
  held: (() => void)[] | undefined;
  #count = 0;

  constructor(sessions: SessionTodos[]) {
    for (const session of sessions) this.#sessions.set(session.sessionId, session);
  }

  follow(onMessage: (message: Message) => void): () => void {
    this.#listener = onMessage;
    if (this.rights !== undefined) this.tell({ type: "gateway.greeted", rights: this.rights });
    this.snapshot();
    return () => {
      this.#listener = undefined;
    };
  }

  snapshot(): void {
    const sessions = [...this.#sessions.values()].filter(({ current }) => current);
    const { settings } = this;
    const more = { sessions, settings, whole: true, deleted: [] };
    this.tell({ type: "events.subscribe.result", cursor: this.#next(), ...more });
  }

  tell(message: Message): void {
    this.#listener?.(message);
  }

  /** A session is told of that was not there, or is otherwise now. */
  put(session: SessionTodos): void {
    this.#sessions.set(session.sessionId, session);
    this.tell({ type: "session.updated", cursor: this.#next(), ...session });
  }

  /** A new revision of a session's list. */
  write(sessionId: string, todos: Item[], edits?: EditView[], actor = AGENT): SessionTodos {
    const { listSessionId: _, ...before } = this.#get(sessionId);
    this.#note(sessionId, before, todos, actor);
    const listState = todos.length === 0 ? "known-empty" : before.listState;
    const next = { ...before, todos, edits: edits ?? before.edits, revision: before.revision + 1, listState };
    this.#sessions.set(sessionId, next);
    this.tell({
      type: "todo.update",
      requestId: this.#next(),
      cursor: this.#next(),
      sessionId,
      listId: next.listId,
      revision: next.revision,
      todos,
      actor,
      session: { ...next, todos: [] },
    });
    return next;
  }

  /** Revisions of a session that are not kept any more. */
  trim(sessionId: string, from: number, to: number): void {
    const kept = (this.#revisions.get(sessionId) ?? []).filter(
      ({ revision }) => revision < from || revision > to,
    );
    this.#revisions.set(sessionId, kept);
  }

  async call<T extends Request["type"]>(type: T, fields: object): Promise<Answers[T]> {
    this.calls.push({ type, fields: { ...fields } });
    if (type === "todo.complete" && this.held) {
      const { held } = this;
      await new Promise<void>((go) => held.push(go));
    }
    if (/^(agents|import|demo)\./.test(type) || type === "gateway.open") {
      return (await this.machine.answer(type, fields, (message) => this.tell(message))) as Answers[T];
    }
    if (this.permissions.isFor(type)) {
      if (this.refusal && type !== "permission.list" && type !== "rule.list") throw this.refusal;
      const over = (sessionId: string, needId: string): void => {
        const session = this.#get(sessionId);
        this.put({ ...session, needs: (session.needs ?? []).filter(({ id }) => id !== needId) });
      };
      return this.permissions.answer(type, fields, over) as Answers[T];
    }
    if (type.startsWith("later.")) {
      if (this.refusal && type !== "later.list") throw this.refusal;
      return this.later.answer(type, fields) as Answers[T];
    }
    if (type.startsWith("hosts.")) {
      if (this.refusal && type !== "hosts.list") throw this.refusal;
      return this.machines.answer(type, fields) as Answers[T];
    }
    if (this.chat.isFor(type)) return (await this.chat.answer(type, fields, this)) as Answers[T];
    if (this.archive.isFor(type, fields)) return (await this.archive.answer(type, fields)) as Answers[T];
    return this.#answer(type, fields as Record<string, string>) as Answers[T];
  }

  /** A list of the user's own; as the gateway refuses a label, so does the desk. */
  #begin(label = ""): string {
    if (label.length > 200)
      throw new Failure("INVALID_MESSAGE", "a session's label is 1 to 200 plain characters");
    const known = [...this.#sessions.values()].find((each) => label !== "" && each.label === label);
    if (known) return known.sessionId;
    const begun = sample(`own-${this.#next()}`, [], {
      agent: { name: "you" },
      ...(label && { label, title: label }),
    });
    this.put(begun);
    return begun.sessionId;
  }

  #answer(type: Request["type"], fields: Record<string, string>): unknown {
    const sessionId = fields.sessionId ?? "";
    switch (type) {
      case "gateway.status":
        return {
          port: 3271,
          address: "http://127.0.0.1:3271",
          firstListCommand: "sightline todo add x",
          dataDir: "/d",
          ...(this.notice !== undefined && { notice: this.notice }),
          ...(this.noticeText !== undefined && { noticeText: this.noticeText }),
        };
      case "session.list":
        return { sessions: [...this.#sessions.values()] };
      case "session.get": {
        const session = this.#get(sessionId);
        if (fields.revision !== undefined) return this.#at(session, Number(fields.revision));
        const isOwn = (other: SessionTodos) =>
          other.ownTool !== undefined && other.parentSessionId === sessionId;
        const ownSessionId = [...this.#sessions.values()].find(isOwn)?.sessionId;
        const { revision, todos, edits } = session;
        return { session, revision, todos, edits, ...(ownSessionId !== undefined && { ownSessionId }) };
      }
      case "todo.add": {
        const added = item(this.#next(), "pending", { content: fields.content ?? "", origin: "user" });
        const into = sessionId === "" ? this.#begin(fields.label) : sessionId;
        return this.#change(into, "add", (todos) => insert(todos, fields.position, added), added.uid);
      }
      case "todo.delete":
        return this.#change(
          sessionId,
          "delete",
          (todos) => todos.filter(({ uid }) => uid !== fields.uid),
          fields.uid,
        );
      case "todo.setStatus":
      case "todo.edit": {
        if (fields.content?.trim() === "") throw new Failure("INVALID_TODOS", "A step needs a text.");
        const { sessionId: _, uid = "", ...set } = fields;
        this.#refuseGone(uid);
        return this.#change(sessionId, "set", (todos) => patch(todos, uid, set), uid);
      }
      case "todo.restore": {
        const gone = this.#gone.get(fields.uid ?? "");
        if (!gone) throw new Failure("ITEM_NOT_FOUND", "There is no such item.");
        this.#gone.delete(gone.uid);
        return this.#change(sessionId, "add", (todos) => [...todos, gone], gone.uid);
      }
      case "todo.command":
        return this.#command(sessionId, fields.line ?? "");
      case "todo.preview":
        return { steps: stepsOf(fields.text ?? "") };
      case "todo.complete":
        return completionsOf(this.#get(sessionId).todos, fields.line ?? "");
      case "session.revisions": {
        const all = this.#revisions.get(sessionId) ?? [];
        const { uid, limit } = fields;
        const of = all.filter(
          ({ added, changed, removed }) => !uid || [...added, ...changed, ...removed].includes(uid),
        );
        return { revisions: of.slice(0, Number(limit)) };
      }
      case "todo.move":
        return this.#change(
          sessionId,
          "move",
          (todos) => move(todos, fields.uid, fields.to ?? ""),
          fields.uid,
        );
      case "todo.indent": {
        const { uid, out = false } = fields as { uid?: string; out?: boolean };
        return this.#change(sessionId, "move", (todos) => indent(todos, uid, out), uid);
      }
      case "note.send":
        return this.#change(sessionId, "note", (todos) => todos, undefined, fields.text);
      case "edit.insist":
        return this.#insist(sessionId, fields.editId);
      case "edit.discard":
        return { ok: true };
      case "settings.get":
        return this.settings;
      case "key.list":
        return { keys: this.keys };
      case "audit.list":
        return { entries: this.log };
      case "key.code":
        return { address: `${originOf(fields.host)}/#pair=c.secret`, expiresAt: this.codeExpires };
      case "key.new":
        if (this.refusal) throw this.refusal;
        return { ...KEYS[1], keyId: "k9", name: fields.name, secret: "k9.secret" };
      case "key.renew":
        return { ...KEYS[1], secret: `${fields.keyId}.secret` };
      case "key.revoke":
        return { ok: true };
      case "key.confirm":
        return KEYS[3];
      case "settings.update":
        if (this.refusal) throw this.refusal;
        this.settings = change(this.settings, fields);
        this.tell({ type: "settings.updated", cursor: this.#next(), ...this.settings });
        return this.settings;
      case "session.mark": {
        if (this.refusal) throw this.refusal;
        const { sessionId: _, ...marks } = fields;
        this.put({ ...this.#get(sessionId), ...marks });
        return { ok: true };
      }
      case "need.dismiss":
        return this.#dismiss(this.#get(sessionId), fields as unknown as NeedDismiss);
      case "session.raise":
        if (this.refusal) throw this.refusal;
        return { raised: "tmux pane %2, X11 window 0x1200007" };
      case "session.continue":
        if (this.refusal) throw this.refusal;
        return { by: "terminal" };
      case "session.files":
        return { files: this.files };
      case "session.open":
        if (this.refusal) throw this.refusal;
        return { ok: true };
      case "session.resume":
        return { command: `cd /home/me && codex resume ${sessionId}` };
      case "session.export":
        return {
          text: showList(this.#sessions.get(sessionId)?.todos ?? []),
          ...(this.leftOut.length > 0 && { leftOut: this.leftOut }),
        };
      case "session.load": {
        const from = this.#get(fields.from ?? sessionId);
        const { todos } = this.#at(from, Number(fields.revision ?? from.revision));
        return this.#change(sessionId, "load", () => todos);
      }
      case "todo.clear":
        return this.#change(sessionId, "clear", () => []);
      case "todo.undo": {
        const before = this.#before.get(fields.editId ?? "") ?? [];
        return this.#change(sessionId, "add", () => before);
      }
      default:
        throw new Failure("UNKNOWN_TYPE", type);
    }
  }

  #change(
    sessionId: string,
    kind: EditView["kind"],
    make: (todos: Item[]) => Item[],
    uid?: string,
    text = "x",
  ): Answers["todo.add"] {
    if (this.refusal) throw this.refusal;
    const { todos: before, edits } = this.#get(sessionId);
    const made = edit(uid, { editId: this.#next(), kind, text });
    this.#before.set(made.editId, before);
    const { revision, todos } = this.write(sessionId, make(before), [...edits, made], USER);
    return { sessionId, revision, todos, editId: made.editId, message: "" };
  }

  /** A list as it was; what was there before the desk is not kept. */
  #at(session: SessionTodos, revision: number): Answers["session.get"] {
    const all = this.#revisions.get(session.sessionId) ?? [];
    const made = all.find((each) => each.revision === revision);
    const todos = this.#lists.get(`${session.sessionId} ${revision}`);
    if (!todos) throw new Failure("REVISION_NOT_FOUND", `There is no revision ${revision}.`);
    const removed = (this.#lists.get(`${session.sessionId} ${revision - 1}`) ?? []).filter(({ uid }) =>
      made?.removed.includes(uid),
    );
    return { session, revision, todos, edits: [], ...(made && { change: made }), removed };
  }

  #dismiss(session: SessionTodos, { needId, dismissed = true }: NeedDismiss): Answers["need.dismiss"] {
    const needs = session.needs ?? [];
    const need = needs.find(({ id }) => id === needId) ?? this.#dismissed.get(needId);
    if (need) this.#dismissed.set(needId, need);
    const others = needs.filter(({ id }) => id !== needId);
    this.put({ ...session, needs: need && !dismissed ? [...others, need] : others });
    return {};
  }

  #insist(sessionId: string, editId: string | undefined): Answers["edit.insist"] {
    if (this.refusal) throw this.refusal;
    const { todos, edits } = this.#get(sessionId);
    const old = edits.find((other) => other.editId === editId);
    if (!old) throw new Failure("CANNOT_UNDO", "There is no such edit.");
    const made: EditView = { ...old, editId: this.#next(), state: "queued", insisted: true };
    const superseded: EditView = { ...old, state: "superseded" };
    const next = edits.with(edits.indexOf(old), superseded);
    const { revision } = this.write(sessionId, todos, [...next, made]);
    return { sessionId, revision, todos, editId: made.editId, message: "" };
  }

  #command(sessionId: string, line: string): Answers["todo.command"] {
    const [name, position, ...words] = line.replace(/^\/?todo /, "").split(" ");
    const content = words.join(" ");
    if (name === "show") return { output: showList(this.#get(sessionId).todos) };
    if (name === "undo") {
      const editId = [...this.#before.keys()].at(-1) ?? "";
      const edited = this.#answer("todo.undo", { sessionId, editId }) as Answers["todo.undo"];
      return { output: "Undone", edited: { ...edited, editId } };
    }
    if (name === "load") throw new Failure("SESSION_NOT_FOUND", `there is no saved list ${position}`);
    if (name !== "add") throw new Failure("USAGE", `Unknown subcommand: ${name}. Use: show, add, undo`);
    if (!position || !content) throw new Failure("USAGE", "Usage: /todo add <position> <description>");
    if (Number(position) > 9)
      throw new Failure("INVALID_POSITION", `Position ${position} out of range (1-4)`);
    const edited = this.#answer("todo.add", { sessionId, position, content }) as Answers["todo.add"];
    return { output: `Added TODO at position ${position}: "${content}"`, edited };
  }

  #refuseGone(uid: string): void {
    const gone = this.#gone.get(uid);
    if (!gone) return;
    const message = `codex over MCP removed "${gone.content}" just now; bring it back to change it`;
    throw new Failure("ITEM_REMOVED", message);
  }

  #note(sessionId: string, before: SessionTodos, todos: Item[], actor: Actor): void {
    const now = new Set(todos.map(({ uid }) => uid));
    const was = new Set(before.todos.map(({ uid }) => uid));
    for (const todo of before.todos) if (!now.has(todo.uid)) this.#gone.set(todo.uid, todo);
    const revision: RevisionView = {
      revision: before.revision + 1,
      at: AT,
      actor,
      cause: "todo.write",
      added: todos.filter(({ uid }) => !was.has(uid)).map(({ uid }) => uid),
      changed: todos
        .filter((todo) => was.has(todo.uid) && !before.todos.includes(todo))
        .map(({ uid }) => uid),
      removed: before.todos.filter(({ uid }) => !now.has(uid)).map(({ uid }) => uid),
    };
    this.#lists.set(`${sessionId} ${before.revision}`, before.todos);
    this.#lists.set(`${sessionId} ${revision.revision}`, todos);
    this.#revisions.set(sessionId, [revision, ...(this.#revisions.get(sessionId) ?? [])]);
  }

  #get(sessionId: string): SessionTodos {
    const session = this.#sessions.get(sessionId);
    if (!session) throw new Failure("SESSION_NOT_FOUND", `There is no session ${sessionId}.`);
    return session;
  }

  #next(): string {
    this.#count += 1;
    return `n${this.#count}`;
  }
}
