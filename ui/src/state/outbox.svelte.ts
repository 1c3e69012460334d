import type { Failure } from "../backend/backend";
import { KeptText } from "../shared/kept.svelte";
import { whenSlow } from "../shared/slow";

/**
 * A line that is typed, and those that were entered and are not acknowledged yet.
 *
 * They are sent one after the other, in the order in which they were typed. What could not be sent goes back into the
 * line: nothing that was typed is lost.
 */
export class Outbox {
  failure = $state.raw<Failure>();
  /** Entered and not acknowledged yet, oldest first. */
  sent = $state.raw<string[]>([]);
  /** True if that takes long enough to show it. */
  slow = $state(false);

  readonly #send: (line: string) => Promise<Failure | undefined>;
  readonly #typed: KeptText;

  /** `key` names the line: what is typed into it outlives a reload. */
  constructor(send: (line: string) => Promise<Failure | undefined>, key: string) {
    this.#send = send;
    this.#typed = new KeptText(key);
  }

  get text(): string {
    return this.#typed.text;
  }

  set text(text: string) {
    this.#typed.text = text;
  }

  /** Sends the line; gives whether all that waited has gone through once it is over. */
  async submit(): Promise<boolean> {
    const line = this.text.trim();
    if (line === "") return false;
    this.failure = undefined;
    this.sent = [...this.sent, line];
    this.text = "";
    return this.sent.length === 1 && this.#sendAll();
  }

  async #sendAll(): Promise<boolean> {
    const over = whenSlow((isSlow) => (this.slow = isSlow));
    for (let next = this.sent[0]; next !== undefined; next = this.sent[0]) {
      // oxlint-disable-next-line no-await-in-loop
      this.failure = await this.#send(next);
      if (this.failure) this.#putBack();
      else this.sent = this.sent.slice(1);
    }
    over();
    return this.failure === undefined;
  }

  /** Takes into the line what was typed elsewhere and has no place there any more. */
  giveBack(text: string, why: Failure): void {
    this.text = joined([text, this.text]);
    this.failure = why;
  }

  #putBack(): void {
    this.text = joined([...this.sent, this.text]);
    this.sent = [];
  }
}

function joined(parts: readonly string[]): string {
  return parts.filter((part) => part.trim() !== "").join(" ");
}
