import { Failure, type Message } from "../backend/backend";
import type {
  Chat,
  ChatGet,
  ChatMessage,
  ChatModelList,
  ChatRun,
  ChatSend,
  ChatStarted,
  ChatToolList,
  PreflightChecklist,
  Request,
  SessionTodos,
  TextRef,
  ToolApprovalRequest,
  VaultKeys,
} from "../protocol/types";
import { AT, item, session } from "./samples";

const MINE = /^(chat|vault)\.|^tool\.approval\.response$|^preflight\.approval$/;
/** As many as the gateway gives at once. */
const PAGE = 200;

/** Without the numbers that a conversation gives. */
type Saying = ChatMessage extends infer M ? (M extends ChatMessage ? Omit<M, "seq" | "at"> : never) : never;
type Asked = Partial<ChatSend & ChatGet & { provider: string; key: string; approved: boolean }>;
type Sessions = { put: (session: SessionTodos) => void };

/** The built-in agent on the desk: it says what a test lets it say, and keeps it as the real one does. */
export class DeskChat {
  readonly chats = new Map<string, Chat>();
  models: ChatModelList = {
    providers: [
      {
        name: "anthropic",
        models: [],
        problem: "no key is kept for anthropic; give one",
        key: "",
        needsKey: true,
      },
      { name: "ollama", models: ["ollama:llama3.2", "ollama:qwen3:8b"], key: "", needsKey: false },
      { name: "openai", models: ["openai:gpt-5", "openai:gpt-5-mini"], key: "environment", needsKey: true },
    ],
  };
  tools: ChatToolList = { servers: [] };
  keys: Record<string, string> = { openai: "environment" };
  origins: Record<string, string> = { openai: "https://api.openai.com" };
  withheld: Record<string, string> = {};
  withheldTexts: Record<string, TextRef> = {};
  /** The failures by which requests are refused. */
  readonly refusals: Partial<Record<string, Failure>> = {};
  /** Holds answers back until it is called. */
  held: (() => void)[] | undefined;
  readonly #tell: (message: Message) => void;
  #count = 0;

  constructor(tell: (message: Message) => void) {
    this.#tell = tell;
  }

  isFor(type: Request["type"]): boolean {
    return MINE.test(type);
  }

  /** A conversation, as it was kept. */
  open(sessionId: string, more: Partial<Chat> = {}): Chat {
    const chat = {
      sessionId,
      model: "ollama:llama3.2",
      messages: [],
      more: false,
      canResume: false,
      ...more,
    };
    this.chats.set(sessionId, chat);
    return chat;
  }

  /** A message that is added, and told with the run as it is. */
  say(sessionId: string, saying: Saying, run: ChatRun | undefined = this.#of(sessionId).run): ChatMessage {
    const chat = this.#of(sessionId);
    const message = { seq: (chat.messages.at(-1)?.seq ?? 0) + 1, at: AT, ...saying } as ChatMessage;
    // A kept message is no longer under way.
    const after = run && message.kind === "assistant" ? { ...run, content: "", reasoning: "" } : run;
    this.#keep(sessionId, { messages: [...chat.messages, message] }, after);
    this.update(sessionId, message);
    return message;
  }

  /** A message that is otherwise now. */
  replace(sessionId: string, message: ChatMessage): void {
    const { messages, run } = this.#of(sessionId);
    this.#keep(
      sessionId,
      { messages: messages.map((old) => (old.seq === message.seq ? message : old)) },
      run,
    );
    this.update(sessionId, message);
  }

  update(sessionId: string, message?: ChatMessage): void {
    const { run, canResume } = this.#of(sessionId);
    this.#tell({
      type: "chat.updated",
      sessionId,
      canResume,
      ...(message && { message }),
      ...(run && { run }),
    });
  }

  begin(sessionId: string, requestId = "run-1", doing = "Planning"): void {
    this.#keep(sessionId, { canResume: false }, { requestId, content: "", reasoning: "", doing });
    this.#tell({ type: "chat.stream.start", sessionId, requestId, model: this.#of(sessionId).model });
    this.update(sessionId);
  }

  stream(sessionId: string, delta: string, type: "delta" | "reasoning" = "delta"): void {
    const { run } = this.#of(sessionId);
    if (!run) return;
    const part = type === "delta" ? "content" : "reasoning";
    const offset = run[part].length;
    this.#keep(sessionId, {}, { ...run, [part]: run[part] + delta });
    this.#tell({ type: `chat.stream.${type}`, sessionId, requestId: run.requestId, delta, offset });
  }

  /** It asks, and waits. */
  wait(sessionId: string, what: { approval: ToolApprovalRequest } | { preflight: PreflightChecklist }): void {
    const { run } = this.#of(sessionId);
    if (!run) return;
    this.#keep(sessionId, {}, { ...run, ...what });
    if ("approval" in what) this.#tell({ type: "tool.approval.request", ...what.approval });
    else this.#tell({ type: "preflight.checklist", ...what.preflight });
    this.update(sessionId);
  }

  end(sessionId: string, saying: Extract<Saying, { kind: "end" }>, canResume = false): void {
    this.#keep(sessionId, { canResume }, undefined);
    this.say(sessionId, saying, undefined);
  }

  async answer(type: Request["type"], fields: Asked, desk: Sessions): Promise<unknown> {
    if (this.held) {
      const { held } = this;
      await new Promise<void>((go) => held.push(go));
    }
    const refusal = this.refusals[type];
    if (refusal) throw refusal;
    const { sessionId = "" } = fields;
    switch (type) {
      case "chat.get":
        return this.#get(sessionId, fields.before);
      case "chat.send":
        return this.#send(fields, desk);
      case "chat.resume":
        this.#refuseIfGoing(sessionId);
        this.begin(sessionId, "run-2", "Going on");
        return { sessionId, requestId: "run-2", model: this.#of(sessionId).model, created: false };
      case "chat.abort":
        this.end(sessionId, { kind: "end", outcome: "aborted", message: "" }, true);
        return { ok: true };
      case "tool.approval.response":
      case "preflight.approval":
        this.#go();
        return { ok: true };
      case "chat.models":
        return this.models;
      case "chat.tools":
        return this.tools;
      case "vault.keys.set":
        this.keys = { ...this.keys, [fields.provider ?? ""]: "keyring" };
        return this.#keys();
      case "vault.keys.delete": {
        const { [fields.provider ?? ""]: _, ...kept } = this.keys;
        this.keys = kept;
        return this.#keys();
      }
      case "vault.keys.list":
        return this.#keys();
      default:
        return { ok: true };
    }
  }

  #keys(): VaultKeys {
    return {
      keys: this.keys,
      origins: this.origins,
      withheld: this.withheld,
      withheldTexts: this.withheldTexts,
    };
  }

  /** The approval was answered: the run goes on. */
  #go(): void {
    for (const { sessionId, run } of this.chats.values()) {
      if (!run?.approval && !run?.preflight) continue;
      const { approval: _, preflight: __, ...going } = run;
      this.#keep(sessionId, {}, { ...going, doing: "Working" });
      this.update(sessionId);
    }
  }

  #send({ sessionId, content = "", model, folder }: Asked, desk: Sessions): ChatStarted {
    this.#count += 1;
    const id = sessionId ?? `chat-${this.#count}`;
    const created = sessionId === undefined;
    if (created) {
      this.open(id);
      desk.put(builtIn(id, { title: content, ...(folder !== undefined && { folder }) }));
    }
    this.#refuseIfGoing(id);
    this.#keep(id, { imported: false }, undefined);
    if (model !== undefined) this.#keep(id, { model }, undefined);
    const requestId = `run-${this.#count}`;
    this.begin(id, requestId);
    this.say(id, { kind: "user", content });
    return { sessionId: id, requestId, model: this.#of(id).model, created };
  }

  #refuseIfGoing(sessionId: string): void {
    if (this.#of(sessionId).run)
      throw new Failure("STREAM_IN_PROGRESS", "a run goes on in this session; stop it first");
  }

  #get(sessionId: string, before = Infinity): Chat {
    const chat = this.#of(sessionId);
    const all = chat.messages.filter(({ seq }) => seq < before);
    return { ...chat, messages: all.slice(-PAGE), more: all.length > PAGE || chat.more };
  }

  #keep(sessionId: string, more: Partial<Chat>, run: ChatRun | undefined): void {
    const { run: _, ...chat } = this.#of(sessionId);
    this.chats.set(sessionId, { ...chat, ...more, ...(run && { run }) });
  }

  #of(sessionId: string): Chat {
    const chat = this.chats.get(sessionId);
    if (!chat) throw new Failure("SESSION_NOT_FOUND", `There is no session ${sessionId}.`);
    return chat;
  }
}

/** A session of the built-in agent's. */
export function builtIn(sessionId: string, more: Partial<SessionTodos> = {}): SessionTodos {
  const { project: _, branch: __, ...bare } = session(sessionId, more.todos ?? [item("a"), item("b")]);
  return { ...bare, agent: { name: "sightline" }, ...more };
}

export function approval(sessionId: string, more: Partial<ToolApprovalRequest> = {}): ToolApprovalRequest {
  const args = more.args ?? { path: "src/main.rs", content: "fn main() {\n    todo!()\n}\n" };
  return {
    requestId: "run-1",
    sessionId,
    toolCallId: "call-1",
    toolName: "files__write",
    args,
    argsText: JSON.stringify(args),
    expiresAt: "2036-11-20T14:07:00Z",
    ...more,
  };
}

export function checklist(sessionId: string, more: Partial<PreflightChecklist> = {}): PreflightChecklist {
  const step = { risk: "low", needsApproval: false };
  return {
    requestId: "run-1",
    sessionId,
    steps: [
      { ...step, description: "Read the format page" },
      {
        ...step,
        description: "Write the parser",
        toolName: "files__write",
        risk: "high",
        needsApproval: true,
      },
      { ...step, description: "Run the tests", toolName: "shell__run" },
    ],
    estimatedCost: { inputTokens: 0, outputTokens: 0, estimatedUSD: 0 },
    requiredPermissions: ["files__write"],
    warnings: [],
    expiresAt: "2036-11-20T14:07:00Z",
    ...more,
  };
}
