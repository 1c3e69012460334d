import { dequal } from "dequal/lite";
import { toFailure, type Failure, type Message } from "../backend/backend";
import type {
  Chat,
  ChatMessage,
  ChatRun,
  ChatStarted,
  ChatStreamDelta,
  ChatUpdated,
  PreflightChecklist,
  PreflightEdit,
} from "../protocol/types";
import { withMessage, withNewest, withPiece } from "./chat-messages";
import { oncePerFrame } from "../shared/frame";
import { exactLines } from "../shared/text/plain";
import type { Gateway } from "./gateway.svelte";
import { KeptText } from "../shared/kept.svelte";
import { toasts } from "../shared/toast.svelte";

/** A step of a plan as the user has put it. */
export type PlanStep = { description: string; skip: boolean };

/** The gateway's messages about one conversation. */
export type ChatNews = Extract<
  Message,
  {
    type:
      | "chat.updated"
      | "chat.stream.start"
      | "chat.stream.delta"
      | "chat.stream.reasoning"
      | "tool.approval.request"
      | "preflight.checklist";
  }
>;

/**
 * One conversation with the built-in agent.
 *
 * Kept messages come by `chat.get` and `chat.updated`; what streams is behind it until it is kept as well, each piece
 * in its place. It is asked for anew with each connection, and whenever something was told that does not go with what
 * is known: what was missed is never guessed. What is told while it is asked for waits for the answer.
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
  /** It came from elsewhere, and the user has not said that a model may read it. */
  imported = $state(false);
  /** The run that goes on. */
  run = $state.raw<ChatRun>();
  /** The part of the answer under way that has come, as it is painted: once a frame. */
  streamed = $state("");
  thought = $state("");
  /** True if the gateway has answered at all. */
  isThere = $state(false);
  /** Why there is nothing to see. */
  missing = $state<string>();

  /** The model that the user has chosen for what is sent next. */
  chosen = $state<string>();
  /** The prompt that is on its way. */
  sending = $state<string>();
  failure = $state.raw<Failure>();
  /** The user has said it, and the gateway has not heard it yet. */
  stopping = $state(false);
  answering = $state(false);
  /** The run is asked to go on. */
  resuming = $state(false);

  /** The user has said so. */
  #isAllowed = false;

  readonly #gateway: Gateway;
  readonly #draft: KeptText;
  /** Why it could not go on. */
  #unresumed: Failure | undefined;
  #plan: { of: PreflightChecklist; steps: PlanStep[] } | undefined;
  #watchers = 0;
  #asking: Promise<void> | undefined;
  #again = false;
  /** The messages that came while the gateway was asked. */
  readonly #since: ChatNews[] = [];
  #content = "";
  #reasoning = "";
  /** Runs that nothing is known of, and that were asked for. */
  readonly #strange = new Set<string>();
  readonly #schedule = oncePerFrame(() => this.#paint());

  constructor(gateway: Gateway, sessionId: string) {
    this.#gateway = gateway;
    this.sessionId = sessionId;
    this.#draft = new KeptText(`draft:${sessionId}`);
  }

  /** The typed text that is not sent; it outlives the page. */
  get draft(): string {
    return this.#draft.text;
  }

  set draft(text: string) {
    this.#draft.text = text;
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
      // oxlint-disable-next-line no-await-in-loop
      await this.#askOnce();
      for (const news of this.#since.splice(0)) this.#apply(news);
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
    else this.#apply(news);
  }

  /** Sends what is typed. What could not be sent goes back into the field. */
  async send(): Promise<void> {
    const content = this.draft.trim();
    if (content === "" || this.sending !== undefined || this.resuming || this.run || this.imported) return;
    this.failure = undefined;
    this.sending = content;
    this.draft = "";
    this.failure = await this.#begin((fields) => this.#gateway.call("chat.send", { ...fields, content }));
    if (this.failure) this.draft = [content, this.draft].filter((part) => part !== "").join("\n\n");
    this.sending = undefined;
  }

  /** Lets the run go on, once: whoever asks while it is asked, or has gone on already, has what they want. */
  async resume(): Promise<void> {
    if (this.resuming || this.sending !== undefined || this.run || this.imported) return;
    this.failure = undefined;
    this.resuming = true;
    const failure = await this.#begin((fields) => this.#gateway.call("chat.resume", fields));
    if (failure?.code === "STREAM_IN_PROGRESS") await this.ask();
    else if (!this.run) this.failure = this.#unresumed = failure;
    this.resuming = false;
  }

  /** Gives why it could not begin. One that was short may be over before that is answered: it is asked how it is then. */
  async #begin(
    start: (fields: { sessionId: string; model?: string; allowImported?: boolean }) => Promise<ChatStarted>,
  ): Promise<Failure | undefined> {
    const model = this.chosen;
    const { sessionId } = this;
    const allows = this.#isAllowed && { allowImported: true };
    try {
      this.model = (await start({ sessionId, ...(model !== undefined && { model }), ...allows })).model;
      this.#isAllowed = false;
      if (this.chosen === model) this.chosen = undefined;
      await this.ask();
      return undefined;
    } catch (thrown) {
      return toFailure(thrown);
    }
  }

  /** Lets a model read it although it came from elsewhere, from the next message on. */
  allow(): void {
    this.#isAllowed = true;
    this.imported = false;
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

  /** A plan's steps to be put otherwise, and as they were put already; they outlive the page. */
  edited(plan: PreflightChecklist): PlanStep[] {
    const { requestId, steps } = plan;
    if (this.#plan?.of.requestId !== requestId || !dequal(this.#plan.of.steps, steps)) {
      const made = $state(
        steps.map(({ description }) => ({ description: exactLines(description), skip: false })),
      );
      this.#plan = { of: plan, steps: made };
    }
    return this.#plan.steps;
  }

  /** Tells that somebody else answered, or that it is too late; the state after that is asked for in any case. */
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
    this.imported = chat.imported === true && !this.#isAllowed;
    this.#setRun(chat.run);
  }

  #apply(news: ChatNews): void {
    switch (news.type) {
      case "chat.updated":
        this.#update(news);
        break;
      case "chat.stream.start":
        if (this.run?.requestId !== news.requestId) {
          const { requestId } = news;
          this.#setRun({ requestId, content: "", reasoning: "", doing: this.run?.doing ?? "" });
        }
        break;
      case "chat.stream.delta":
        if (this.#isOf(news.requestId)) this.#content = this.#grown(this.#content, news);
        break;
      case "chat.stream.reasoning":
        if (this.#isOf(news.requestId)) this.#reasoning = this.#grown(this.#reasoning, news);
        break;
      case "tool.approval.request": {
        const { type: _, ...approval } = news;
        if (this.#isOf(news.requestId) && this.run) this.run = { ...this.run, approval };
        break;
      }
      case "preflight.checklist": {
        const { type: _, ...preflight } = news;
        if (this.#isOf(news.requestId) && this.run) this.run = { ...this.run, preflight };
      }
    }
  }

  /** A text with what came of it; where something is missing before that, it is asked for. */
  #grown(text: string, piece: ChatStreamDelta): string {
    const grown = withPiece(text, piece);
    if (grown === undefined) void this.ask();
    else this.#schedule();
    return grown ?? text;
  }

  /** Messages about a run that is not known were sent while nobody listened. */
  #isOf(requestId: string): boolean {
    if (this.run?.requestId === requestId) return true;
    if (!this.#strange.has(requestId)) {
      this.#strange.add(requestId);
      void this.ask();
    }
    return false;
  }

  #update({ message, run, canResume }: ChatUpdated): void {
    // Older than what is shown, it comes with the others of its time.
    const isOutOfSight = this.more && message && message.seq < (this.messages[0]?.seq ?? 0);
    if (message && !isOutOfSight) this.messages = withMessage(this.messages, message);
    if (message?.kind === "user" && message.content.trim() === this.sending) this.sending = undefined;
    this.canResume = canResume;
    this.#setRun(run);
  }

  #setRun(run: ChatRun | undefined): void {
    this.run = run;
    // It was overtaken: from elsewhere, or by an answer that was lost.
    if (run && this.failure === this.#unresumed) this.failure = undefined;
    this.#content = run?.content ?? "";
    this.#reasoning = run?.reasoning ?? "";
    this.#paint();
  }

  #paint(): void {
    this.streamed = this.#content;
    this.thought = this.#reasoning;
  }
}
