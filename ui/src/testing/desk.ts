import { Failure, type Backend, type Message } from "../backend/backend";
import type { Answers, EditView, Item, Request, SessionTodos, Status } from "../protocol/types";
import { edit, item } from "./samples";

type Call = { type: Request["type"]; fields: Record<string, unknown> };

/** A gateway on the desk: it holds sessions and answers as the real one does, for what the tests ask. */
export class Desk implements Backend {
  readonly calls: Call[] = [];
  /** Makes every change fail, while it is set. */
  refusal: Failure | undefined;
  #sessions = new Map<string, SessionTodos>();
  #listener: ((message: Message) => void) | undefined;
  #before = new Map<string, Item[]>();
  #count = 0;

  constructor(sessions: SessionTodos[]) {
    for (const session of sessions) this.#sessions.set(session.sessionId, session);
  }

  follow(onMessage: (message: Message) => void): () => void {
    this.#listener = onMessage;
    this.snapshot();
    return () => {
      this.#listener = undefined;
    };
  }

  snapshot(): void {
    const sessions = [...this.#sessions.values()].filter(({ current }) => current);
    this.tell({ type: "events.subscribe.result", cursor: this.#next(), sessions, whole: true, deleted: [] });
  }

  tell(message: Message): void {
    this.#listener?.(message);
  }

  /** A new revision of a session's list. */
  write(sessionId: string, todos: Item[], edits?: EditView[]): SessionTodos {
    const before = this.#get(sessionId);
    const next = { ...before, todos, edits: edits ?? before.edits, revision: before.revision + 1 };
    this.#sessions.set(sessionId, next);
    this.tell({
      type: "todo.update",
      requestId: this.#next(),
      cursor: this.#next(),
      sessionId,
      listId: next.listId,
      revision: next.revision,
      todos,
      actor: { kind: "agent", name: "codex", transport: "mcp" },
      session: { ...next, todos: [] },
    });
    return next;
  }

  async call<T extends Request["type"]>(type: T, fields: object): Promise<Answers[T]> {
    this.calls.push({ type, fields: { ...fields } });
    return this.#answer(type, fields as Record<string, string>) as Answers[T];
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
        };
      case "session.list":
        return { sessions: [...this.#sessions.values()] };
      case "session.get": {
        const session = this.#get(sessionId);
        return { session, revision: session.revision, todos: session.todos, edits: session.edits };
      }
      case "todo.add": {
        const added = item(this.#next(), "pending", { content: fields.content ?? "", origin: "user" });
        return this.#change(sessionId, "add", (todos) => insert(todos, fields.position, added), added.uid);
      }
      case "todo.delete":
        return this.#change(
          sessionId,
          "delete",
          (todos) => todos.filter(({ uid }) => uid !== fields.uid),
          fields.uid,
        );
      case "todo.setStatus":
        return this.#change(
          sessionId,
          "set",
          (todos) => patch(todos, fields.uid, { status: fields.status as Status }),
          fields.uid,
        );
      case "todo.edit":
        if (fields.content?.trim() === "") throw new Failure("INVALID_TODOS", "A step needs a text.");
        return this.#change(
          sessionId,
          "set",
          (todos) => patch(todos, fields.uid, { content: fields.content ?? "" }),
          fields.uid,
        );
      case "todo.move":
        return this.#change(
          sessionId,
          "move",
          (todos) => move(todos, fields.uid, fields.to ?? ""),
          fields.uid,
        );
      case "note.send":
        return this.#change(sessionId, "note", (todos) => todos, undefined, fields.text);
      case "edit.insist":
        return this.#insist(sessionId, fields.editId);
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
    change: (todos: Item[]) => Item[],
    uid?: string,
    text = "x",
  ): Answers["todo.add"] {
    if (this.refusal) throw this.refusal;
    const { todos: before, edits } = this.#get(sessionId);
    const made = edit(uid, { editId: this.#next(), kind, text });
    this.#before.set(made.editId, before);
    const { revision, todos } = this.write(sessionId, change(before), [...edits, made]);
    return { sessionId, revision, todos, editId: made.editId, message: "" };
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

function insert(todos: Item[], position: string | undefined, added: Item): Item[] {
  const [top, sub] = (position ?? "last").split(".");
  if (sub !== undefined) {
    return todos.map((todo, index) =>
      index === Number(top) - 1 ? { ...todo, subtasks: insert(todo.subtasks ?? [], sub, added) } : todo,
    );
  }
  return todos.toSpliced(top === "last" ? todos.length : Number(top) - 1, 0, added);
}

function patch(
  todos: Item[],
  uid: string | undefined,
  fields: { status: Status } | { content: string },
): Item[] {
  return todos.map((todo) =>
    todo.uid === uid
      ? ({ ...todo, ...fields } as Item)
      : { ...todo, ...(todo.subtasks && { subtasks: patch(todo.subtasks, uid, fields) }) },
  );
}

function move(todos: Item[], uid: string | undefined, to: string): Item[] {
  const [top, sub] = to.split(".").map(Number);
  if (sub !== undefined) {
    return todos.map((todo, index) =>
      index + 1 === top ? { ...todo, subtasks: move(todo.subtasks ?? [], uid, String(sub)) } : todo,
    );
  }
  const moved = todos.filter((todo) => todo.uid === uid);
  return todos.filter((todo) => todo.uid !== uid).toSpliced((top ?? 1) - 1, 0, ...moved);
}
