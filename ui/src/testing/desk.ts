import { Failure, type Backend, type Message } from "../backend/backend";
import type { Answers, EditView, Item, Request, SessionTodos } from "../protocol/types";
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
  ): Answers["todo.add"] {
    if (this.refusal) throw this.refusal;
    const { todos: before, edits } = this.#get(sessionId);
    const made = edit(uid, { editId: this.#next(), kind });
    this.#before.set(made.editId, before);
    const { revision, todos } = this.write(sessionId, change(before), [...edits, made]);
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
