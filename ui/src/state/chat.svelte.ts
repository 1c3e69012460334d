import { toFailure, type Failure, type Message } from "../backend/backend";
import type { Chat, ChatMessage, ChatRun, ChatStarted, PreflightEdit } from "../protocol/types";
import { overlap, withMessage, withNewest } from "./chat-messages";
import { oncePerFrame } from "./frame";
import type { Gateway } from "./gateway.svelte";
import { toasts } from "./toast.svelte";

/** What the gateway tells of one conversation. */
export type ChatNews = Extract<
  Message,
  {
    type:
      | "chat.updated"
      | "chat.stream.start"
      | "chat.stream.delta"
      | "chat.stream.reasoning"
      | "chat.stream.end"
      | "tool.approval.request"
      | "preflight.checklist"
      | "error";
  }
>;

/** What says how something is now, so that it may be taken in twice. */
const CHANGES: ReadonlySet<ChatNews["type"]> = new Set([
  "chat.updated",
  "chat.stream.start",
  "tool.approval.request",
  "preflight.checklist",
]);

/**
 * One conversation with the built-in agent.
 *
 * What is kept comes by `chat.get` and `chat.updated`; what streams is behind it until it is kept as well. It is asked
 * for anew with each connection, and whenever something was told that does not go with what is known: what was missed
 * is never guessed.
 */
export class Conversation {
  readonly sessionId: string;
  /** Oldest first. */
  messages = $state.raw<ChatMessage[]>([]);
  /** There are older ones. */
  more = $state(false);
  /** `provider:model` of the next answer, as the gateway has it. */
  model = $state("");
  canResume = $state(false);
  /** What goes on. */
  run = $state.raw<ChatRun>();
  /** What of the answer under way has come, as it is painted: once a frame. */
  streamed = $state("");
  thought = $state("");
  /** Whether the gateway has answered at all. */
  isThere = $state(false);
  /** Why there is nothing to see. */
  missing = $state<string>();

  /** What is typed and not sent; it outlives the page. */
  draft = $state("");
  /** The model that the user has chosen for what is sent next. */
  chosen = $state<string>();
  /** The prompt that is on its way. */
  sending = $state<string>();
  failure = $state.raw<Failure>();
  /** The user has said it, and the gateway has not heard it yet. */
  stopping = $state(false);
  answering = $state(false);

  readonly #gateway: Gateway;
  #watchers = 0;
  #asking: Promise<void> | undefined;
  #again = false;
  /** What was told while the gateway was asked. */
  #since: ChatNews[] = [];
  #content = "";
  #reasoning = "";
  /** Runs that nothing is known of, and that were asked for. */
  readonly #strange = new Set<string>();
  readonly #schedule = oncePerFrame(() => this.#paint());

  constructor(gateway: Gateway, sessionId: string) {
    this.#gateway = gateway;
    this.sessionId = sessionId;
  }

  get isWatched(): boolean {
    return this.#watchers > 0;
  }

  /** Somebody looks at it; returns what ends that. */
  watch(): () => void {
    this.#watchers += 1;
    if (this.#gateway.link === "connected") void this.ask();
    return () => {
      this.#watchers -= 1;
    };
  }

  /** Asks for it as it is; asked again meanwhile, it asks once more. */
  ask(): Promise<void> {
    this.#again = this.#asking !== undefined;
    this.#asking ??= this.#askAll().finally(() => (this.#asking = undefined));
    return this.#asking;
  }

  async #askAll(): Promise<void> {
    do {
      this.#again = false;
      this.#since = [];
      // oxlint-disable-next-line no-await-in-loop
      await this.#askOnce();
    } while (this.#again);
  }

  async #askOnce(): Promise<void> {
    try {
      this.#put(await this.#gateway.call("chat.get", { sessionId: this.sessionId }));
      this.missing = undefined;
      this.isThere = true;
    } catch (thrown) {
      const { code, message } = toFailure(thrown);
      // A broken link tells of itself, and the next one asks again.
      if (code !== "UNAVAILABLE" && !this.isThere) this.missing = message;
    }
  }

  async older(): Promise<void> {
    const before = this.messages[0]?.seq;
    if (!this.more || before === undefined) return;
    try {
      const { messages, more } = await this.#gateway.call("chat.get", { sessionId: this.sessionId, before });
      if (this.messages[0]?.seq !== before) return;
      this.messages = [...messages.filter(({ seq }) => seq < before), ...this.messages];
      this.more = more && messages.length > 0;
    } catch (thrown) {
      toasts.fail(toFailure(thrown).message);
    }
  }

  /** Hears what the gateway tells; of a conversation that nobody looks at, it is asked when somebody does. */
  hear(news: ChatNews): void {
    if (!this.isWatched) return;
    if (this.#asking) this.#since.push(news);
    this.#apply(news);
  }

  /** Sends what is typed. What could not be sent goes back into the field. */
  async send(): Promise<void> {
    const content = this.draft.trim();
    if (content === "" || this.sending !== undefined || this.run) return;
    this.failure = undefined;
    this.sending = content;
    this.draft = "";
    const model = this.chosen;
    const fields = { sessionId: this.sessionId, content, ...(model !== undefined && { model }) };
    if (!(await this.#begin(() => this.#gateway.call("chat.send", fields)))) {
      this.draft = [content, this.draft].filter((part) => part !== "").join("\n\n");
    } else if (this.chosen === model) this.chosen = undefined;
    this.sending = undefined;
  }

  async resume(): Promise<void> {
    this.failure = undefined;
    await this.#begin(() => this.#gateway.call("chat.resume", { sessionId: this.sessionId }));
  }

  /** A run that was short may be over before its beginning is answered: how it is then is asked for. */
  async #begin(start: () => Promise<ChatStarted>): Promise<boolean> {
    try {
      this.model = (await start()).model;
      await this.ask();
      return true;
    } catch (thrown) {
      this.failure = toFailure(thrown);
      return false;
    }
  }

  async stop(): Promise<void> {
    if (!this.run || this.stopping) return;
    this.stopping = true;
    try {
      await this.#gateway.call("chat.abort", { sessionId: this.sessionId });
      await this.ask();
    } catch (thrown) {
      toasts.fail(toFailure(thrown).message);
    }
    this.stopping = false;
  }

  async approve(approved: boolean, sessionApprove = false): Promise<void> {
    const toolCallId = this.run?.approval?.toolCallId;
    if (toolCallId === undefined) return;
    await this.#answer(() =>
      this.#gateway.call("tool.approval.response", { toolCallId, approved, sessionApprove }),
    );
  }

  /** Lets a plan begin, as it is or otherwise; or not. */
  async begin(approved: boolean, editedSteps?: PreflightEdit[]): Promise<void> {
    const requestId = this.run?.preflight?.requestId;
    if (requestId === undefined) return;
    const fields = { requestId, approved, ...(editedSteps && { editedSteps }) };
    await this.#answer(() => this.#gateway.call("preflight.approval", fields));
  }

  /** What was answered elsewhere, or is too late, is told; how it is then is asked for in any case. */
  async #answer(answer: () => Promise<unknown>): Promise<void> {
    if (this.answering) return;
    this.answering = true;
    try {
      await answer();
    } catch (thrown) {
      toasts.fail(toFailure(thrown).message);
    }
    await this.ask();
    this.answering = false;
  }

  #put(chat: Chat): void {
    [this.messages, this.more] = withNewest(this.messages, this.more, chat);
    this.model = chat.model;
    this.canResume = chat.canResume;
    this.#setRun(chat.run);
    // What streamed before the answer came may be in it already.
    const news = this.#since;
    const first = news.findIndex(({ type }) => type === "chat.updated");
    const early = first < 0 ? news : news.slice(0, first);
    const deltas = early.flatMap((one) =>
      one.type === "chat.stream.delta" && one.requestId === chat.run?.requestId ? one.delta : [],
    );
    const more = deltas.join("");
    this.#content += more.slice(overlap(this.#content, more));
    for (const one of early) if (CHANGES.has(one.type)) this.#apply(one);
    for (const one of news.slice(early.length)) {
      if (CHANGES.has(one.type) || one.type === "chat.stream.delta") this.#apply(one);
    }
    this.#paint();
  }

  #apply(news: ChatNews): void {
    switch (news.type) {
      case "chat.updated":
        this.#update(news.message, news.run);
        break;
      case "chat.stream.start":
        if (this.run?.requestId !== news.requestId) {
          this.#setRun({ requestId: news.requestId, content: "", doing: this.run?.doing ?? "" });
        }
        break;
      case "chat.stream.delta":
        if (this.#isOf(news.requestId)) this.#content += news.delta;
        this.#schedule();
        break;
      case "chat.stream.reasoning":
        if (this.#isOf(news.requestId)) this.#reasoning += news.delta;
        this.#schedule();
        break;
      case "tool.approval.request": {
        const { type: _, ...approval } = news;
        if (this.#isOf(news.requestId) && this.run) this.run = { ...this.run, approval };
        break;
      }
      case "preflight.checklist": {
        const { type: _, ...preflight } = news;
        if (this.#isOf(news.requestId) && this.run) this.run = { ...this.run, preflight };
        break;
      }
      default:
        // Whether it can be resumed is not told with its end.
        void this.ask();
    }
  }

  /** What is told of a run that is not known was told while nobody listened. */
  #isOf(requestId: string): boolean {
    if (this.run?.requestId === requestId) return true;
    if (!this.#strange.has(requestId)) {
      this.#strange.add(requestId);
      void this.ask();
    }
    return false;
  }

  #update(message: ChatMessage | undefined, run: ChatRun | undefined): void {
    // Older than what is shown, it comes with the others of its time.
    const isOutOfSight = this.more && message && message.seq < (this.messages[0]?.seq ?? 0);
    if (message && !isOutOfSight) this.messages = withMessage(this.messages, message);
    if (message?.kind === "user" && message.content.trim() === this.sending) this.sending = undefined;
    const hasEnded = this.run !== undefined && run === undefined;
    if (message?.kind === "assistant") {
      this.#reasoning = "";
      // It is kept now, and not under way as well.
      if (run && run.content !== "" && message.content.startsWith(run.content)) {
        this.#setRun({ ...run, content: "" });
        return;
      }
    }
    this.#setRun(run);
    if (hasEnded || message?.kind === "end") void this.ask();
  }

  #setRun(run: ChatRun | undefined): void {
    if (run?.requestId !== this.run?.requestId) this.#reasoning = "";
    if (run) this.canResume = false;
    this.run = run;
    this.#content = run?.content ?? "";
    this.#paint();
  }

  #paint(): void {
    this.streamed = this.#content;
    this.thought = this.#reasoning;
  }
}
