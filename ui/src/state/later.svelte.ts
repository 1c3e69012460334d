import { Failure, toFailure } from "../backend/backend";
import { m } from "../paraglide/messages";
import type { LaterItem } from "../protocol/types";
import { KeptText } from "../shared/kept.svelte";
import { live } from "../shared/live.svelte";
import { brief } from "../shared/text/plain";
import { toasts } from "../shared/toast.svelte";
import type { Gateway } from "./gateway.svelte";
import { LaterDraft } from "./later-draft.svelte";
import { Outbox } from "./outbox.svelte";

/** The steps and messages that are kept until the agent of a session is idle, in their order. */
export class Later {
  /** With the last ones that were handed over, which lead to their edits. */
  items = $state.raw<LaterItem[]>([]);
  readonly outbox: Outbox;
  /** Another wording of one of them. */
  readonly draft: LaterDraft;
  readonly waiting: LaterItem[] = $derived(this.items.filter((item) => item.handedOver === undefined));

  readonly #gateway: Gateway;
  readonly #sessionId: string;
  readonly #folder: string | undefined;
  readonly #kind: KeptText;
  readonly #whom: KeptText;

  constructor(gateway: Gateway, sessionId: string, folder: string | undefined) {
    this.#gateway = gateway;
    this.#sessionId = sessionId;
    this.#folder = folder;
    this.outbox = new Outbox((line) => this.#add(line), `later-${sessionId}`);
    this.draft = new LaterDraft(sessionId);
    this.#kind = new KeptText(`later-kind ${sessionId}`);
    this.#whom = new KeptText(`later-for ${sessionId}`);
  }

  /** A step is added, and not a message. */
  get isStep(): boolean {
    return this.#kind.text === "step";
  }

  set isStep(is: boolean) {
    this.#kind.text = is ? "step" : "";
  }

  /** For the next session in the folder, and not for this one. */
  get isForFolder(): boolean {
    return this.#whom.text === "folder";
  }

  set isForFolder(is: boolean) {
    this.#whom.text = is ? "folder" : "";
  }

  /** Looks, and hears when it changes; returns what ends that. */
  open(): () => void {
    void this.look();
    return this.#gateway.listen((message) => {
      const isOurs =
        message.type === "later.updated" &&
        (message.sessionId === this.#sessionId || (message.folder ?? "") === this.#folder);
      if (isOurs || message.type === "events.subscribe.result") void this.look();
    });
  }

  async look(): Promise<void> {
    if (this.#gateway.link !== "connected") return;
    // A link that breaks tells of itself, and it is asked for again.
    const found = await this.#gateway
      .call("later.list", { sessionId: this.#sessionId })
      .catch(() => undefined);
    if (!found) return;
    this.items = found.items;
    this.#keepWording();
  }

  /** Words for an item that waits no more are put where they can be sent; that line says so. */
  #keepWording(): void {
    const { of, text, isChanged } = this.draft;
    if (of === undefined || this.waiting.some(({ laterId }) => laterId === of)) return;
    this.draft.end();
    if (!isChanged) return;
    this.outbox.giveBack(text.trim(), new Failure("ITEM_NOT_FOUND", m.later_gone()));
  }

  async #add(text: string): Promise<Failure | undefined> {
    const folder = this.isForFolder ? this.#folder : undefined;
    const forWhom = folder === undefined ? { sessionId: this.#sessionId } : { folder };
    try {
      await this.#gateway.call("later.add", { ...forWhom, text, ...(this.isStep && { step: true }) });
      live.say(m.later_added({ what: brief(text) }));
      await this.look();
      return undefined;
    } catch (thrown) {
      return toFailure(thrown);
    }
  }

  async edit({ laterId }: LaterItem, text: string): Promise<boolean> {
    return this.#change(() => this.#gateway.call("later.edit", { laterId, text }));
  }

  /** Moves one before or behind its neighbour in the same queue. */
  async move(item: LaterItem, by: -1 | 1): Promise<boolean> {
    const queue = this.queueOf(item);
    const to = queue.indexOf(item) + by + 1;
    const { laterId } = item;
    const done = await this.#change(() => this.#gateway.call("later.edit", { laterId, to }));
    if (done) live.say(m.later_moved({ position: String(to), what: brief(item.text) }));
    return done;
  }

  async remove(item: LaterItem): Promise<boolean> {
    const { laterId } = item;
    const done = await this.#change(() => this.#gateway.call("later.delete", { laterId }));
    if (done) live.say(m.later_deleted({ what: brief(item.text) }));
    return done;
  }

  /** Those that wait for the same session or folder. */
  queueOf(item: LaterItem): LaterItem[] {
    return this.waiting.filter((other) => other.sessionId === item.sessionId && other.folder === item.folder);
  }

  /** Lets an agent that rests go on. */
  async goOn(): Promise<void> {
    try {
      const { by } = await this.#gateway.call("session.continue", { sessionId: this.#sessionId });
      toasts.show({ text: m.later_continued({ by }), tone: "plain" });
    } catch (thrown) {
      toasts.fail(m.later_not_continued({ why: toFailure(thrown).message }));
    }
    await this.look();
  }

  async #change(call: () => Promise<unknown>): Promise<boolean> {
    try {
      await call();
      return true;
    } catch (thrown) {
      toasts.fail(m.later_failed({ why: toFailure(thrown).message }));
      return false;
    } finally {
      await this.look();
    }
  }
}
