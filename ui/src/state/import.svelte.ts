import { toFailure, type Failure } from "../backend/backend";
import type { ImportProgress } from "../protocol/types";
import type { Gateway } from "./gateway.svelte";
import { live } from "../shared/live.svelte";
import { m } from "../paraglide/messages";

/** The import of lists from agents' transcripts: the one that runs, or the last one. */
export class Import {
  progress = $state.raw<ImportProgress>();
  /** Why it could not be begun or ended. */
  failure = $state.raw<Failure>();
  /** True while the gateway was asked and has not answered. */
  asked = $state<"start" | "cancel">();
  readonly runs = $derived(this.progress !== undefined && !this.progress.done);

  readonly #gateway: Gateway;

  constructor(gateway: Gateway) {
    this.#gateway = gateway;
  }

  /** Of one agent, or of all. */
  async start(agent: string | undefined): Promise<void> {
    await this.#ask("start", () =>
      this.#gateway.call("import.start", { agents: agent === undefined ? [] : [agent] }),
    );
  }

  async cancel(): Promise<void> {
    await this.#ask("cancel", () => this.#gateway.call("import.cancel", {}));
  }

  take(progress: ImportProgress): void {
    const ran = this.runs;
    this.progress = progress;
    if (!ran || !progress.done) return;
    live.say(m.agents_told_imported({ count: progress.lists }));
    // Imported sessions are in the past; no event need tell of them.
    if (progress.lists > 0) this.#gateway.fetchEarlier().catch(() => undefined);
  }

  /** The gateway is away: whether it still runs is not known. */
  lose(): void {
    if (this.runs) this.progress = undefined;
    this.asked = undefined;
  }

  async #ask(what: "start" | "cancel", call: () => Promise<ImportProgress>): Promise<void> {
    if (this.asked) return;
    this.asked = what;
    this.failure = undefined;
    try {
      const before = this.progress;
      const answer = await call();
      // News that came meanwhile are newer than the answer.
      if (this.progress === before) this.take(answer);
    } catch (thrown) {
      this.failure = toFailure(thrown);
    } finally {
      this.asked = undefined;
    }
  }
}
