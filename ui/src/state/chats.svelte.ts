import { toFailure, type Failure, type Message } from "../backend/backend";
import { Conversation } from "./chat.svelte";
import { useOnDemand } from "./context";
import type { Gateway } from "./gateway.svelte";
import { KeptText } from "../shared/kept.svelte";
import { Models } from "./models.svelte";
import { place, PROMPT } from "./route.svelte";

/** The conversations with the built-in agent, and the one that is about to begin. */
export class Chats {
  readonly models: Models;
  chosen = $state<string>();
  sending = $state(false);
  failure = $state.raw<Failure>();

  readonly #draft = new KeptText("task");
  readonly #folder = new KeptText("task-folder");
  readonly #gateway: Gateway;
  readonly #each = new Map<string, Conversation>();

  constructor(gateway: Gateway) {
    this.#gateway = gateway;
    this.models = new Models(gateway);
  }

  /** The task that is typed and not given yet; it outlives its page. */
  get draft(): string {
    return this.#draft.text;
  }

  set draft(text: string) {
    this.#draft.text = text;
  }

  get folder(): string {
    return this.#folder.text;
  }

  set folder(text: string) {
    this.#folder.text = text;
  }

  /** Hears what the gateway tells; returns what ends that. */
  open(): () => void {
    return this.#gateway.listen((message) => this.#take(message));
  }

  of(sessionId: string): Conversation {
    let conversation = this.#each.get(sessionId);
    if (!conversation) {
      conversation = new Conversation(this.#gateway, sessionId);
      this.#each.set(sessionId, conversation);
    }
    return conversation;
  }

  /** Gives the task that is typed, and goes to where it is worked on. */
  async begin(): Promise<void> {
    const content = this.draft.trim();
    const folder = this.folder.trim();
    if (content === "" || this.sending) return;
    this.sending = true;
    this.failure = undefined;
    try {
      const model = this.chosen;
      const fields = { content, ...(model !== undefined && { model }), ...(folder !== "" && { folder }) };
      const { sessionId } = await this.#gateway.call("chat.send", fields);
      if (this.draft.trim() === content) {
        this.draft = "";
        this.folder = "";
      }
      this.chosen = undefined;
      if (place.route.page === "chat") place.instead(sessionId, PROMPT);
    } catch (thrown) {
      this.failure = toFailure(thrown);
    }
    this.sending = false;
  }

  #take(message: Message): void {
    switch (message.type) {
      case "events.subscribe.result":
        for (const one of this.#each.values()) if (one.isWatched) void one.ask();
        break;
      case "session.deleted":
        this.#each.delete(message.sessionId);
        break;
      case "chat.updated":
      case "chat.stream.start":
      case "chat.stream.delta":
      case "chat.stream.reasoning":
      case "tool.approval.request":
      case "preflight.checklist":
        this.#each.get(message.sessionId)?.hear(message);
        break;
      default:
        break;
    }
  }
}

/** The conversations with the built-in agent, for the pages of the window. */
export const useChats = (): Chats => useOnDemand().of(Chats);
