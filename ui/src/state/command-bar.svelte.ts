import { Failure, toFailure } from "../backend/backend";
import { completionsInWords, outcomeInWords } from "../backend/in-words";
import type { Completions } from "../protocol/types";
import { fetchEditings } from "./editings";
import type { Gateway, Shown } from "./gateway.svelte";
import { m } from "../paraglide/messages";
import type { OnDemand } from "./on-demand";
import { whenSlow } from "../shared/slow";

/** A line that was run, and what it printed. */
export type Answer = { line: string; output: string };

/** Ways to go on with one line of one list; for any other they may be wrong. */
type Offered = Completions & { of: string };

const RECENT = 6;

/** The session of a line where there is none. */
const NO_SESSION = "";

/** The command that takes a list by its number. */
const LOAD = /^\/?(todo\s+)?load\b/;

const NOTHING: Offered = { of: "", choices: [] };

/** The mode of the bar: it finds anything, or takes a `/todo` command. */
export type Mode = "find" | "command";

/** The bar in which a person finds things and types `/todo` commands: its line, how that can go on, what became of it. */
export class CommandBar {
  isOpen = $state(false);
  mode = $state<Mode>("find");
  /** The text that is sought. */
  sought = $state("");
  /** The run that the user was at when it was opened. */
  about = $state<string>();
  /** The entries taken last, the newest first. */
  recent: readonly string[] = [];
  /** The typed text. It outlives a closed bar. */
  text = $state("");
  /** The session that the line is for. */
  sessionId = $state<string>();
  answer = $state.raw<Answer>();
  /** Why the last line was not done; the line is still there. */
  failure = $state.raw<Failure>();
  /** True if a line takes long enough to show it. */
  slow = $state(false);
  offered = $state.raw(NOTHING);
  /** The request that the offered choices have to answer, to be good for the text typed now. */
  readonly wanted = $derived(`${this.sessionId} ${this.session?.known.session.revision} ${this.text}`);

  readonly #gateway: Gateway;
  readonly #onDemand: OnDemand;
  #running = false;
  #completing = false;
  /** Lines that were run, oldest first, and the one that is recalled. */
  #earlier: string[] = [];
  #recalled: number | undefined;

  constructor(gateway: Gateway, onDemand: OnDemand) {
    this.#gateway = gateway;
    this.#onDemand = onDemand;
  }

  get session(): Shown | undefined {
    return this.sessionId === undefined ? undefined : this.#gateway.get(this.sessionId);
  }

  get isAway(): boolean {
    return this.#gateway.link !== "connected";
  }

  /** Opens it for whatever can be found; what can be done is done to that session. */
  find(about: string | undefined): void {
    this.about = about;
    this.sought = "";
    this.mode = "find";
    this.isOpen = true;
  }

  /** A command is typed from now on. */
  command(text: string): void {
    this.open(this.about);
    this.type(text);
  }

  /** Notes what was taken, so that it is offered first. */
  note(key: string): void {
    this.recent = [key, ...this.recent.filter((other) => other !== key)].slice(0, RECENT);
  }

  /** Opens it for a session, or for the one that it was for, or for the only one; else it asks for one. Where none is
   * current, a step that is added begins a list. */
  open(sessionId: string | undefined): void {
    const current = this.#gateway.order
      .filter(({ known }) => known.session.current)
      .map(({ listId }) => listId);
    const last = current.find((id) => id === this.sessionId);
    const only = current.length === 1 ? current[0] : undefined;
    this.for(this.#listOf(sessionId) ?? last ?? only ?? (current.length === 0 ? NO_SESSION : undefined));
    this.about = sessionId;
    this.mode = "command";
    this.isOpen = true;
  }

  /** The list that is meant by a session: its own, or for a run without one the agent's. */
  #listOf(sessionId: string | undefined): string | undefined {
    const session = sessionId === undefined ? undefined : this.#gateway.get(sessionId)?.known.session;
    if (!session) return undefined;
    return session.ownTool === undefined ? this.#gateway.run(session.sessionId)?.listId : session.sessionId;
  }

  close(): void {
    this.isOpen = false;
  }

  /** Takes another session; what was said of the last one's list is not said of this. */
  for(sessionId: string | undefined): void {
    if (sessionId === this.sessionId) return;
    this.sessionId = sessionId;
    this.answer = undefined;
    this.failure = undefined;
    this.offered = NOTHING;
  }

  type(text: string): void {
    this.text = text;
    this.failure = undefined;
    this.#recalled = undefined;
  }

  /** Puts an earlier line, or a later one, in the place of the line; false where there is none. */
  recall(step: -1 | 1): boolean {
    const at = (this.#recalled ?? this.#earlier.length) + step;
    if (this.#recalled === undefined && (this.text !== "" || step > 0)) return false;
    if (at < 0) return true;
    this.type(this.#earlier[at] ?? "");
    this.#recalled = at < this.#earlier.length ? at : undefined;
    return true;
  }

  async run(): Promise<void> {
    const line = this.text.trim();
    if (this.#running || line === "" || this.sessionId === undefined) return;
    this.#running = true;
    this.failure = undefined;
    const over = whenSlow((isSlow) => (this.slow = isSlow));
    const { sessionId } = this;
    const outcome = sessionId === NO_SESSION ? await this.#begin(line) : await this.#do(sessionId, line);
    over();
    this.#running = false;
    if (outcome instanceof Failure) {
      const isOfNumber = sessionId !== NO_SESSION && outcome.code === "SESSION_NOT_FOUND" && LOAD.test(line);
      this.failure = isOfNumber
        ? new Failure(outcome.code, m.command_numbered({ why: outcome.message }))
        : outcome;
      return;
    }
    this.#earlier = [...this.#earlier.filter((other) => other !== line), line];
    // Text typed meanwhile is the next line; a line that was run is not run once more, on another list least of all.
    if (this.text.trim() === line) this.type("");
    if (sessionId === this.sessionId || sessionId === NO_SESSION) this.answer = { line, output: outcome };
  }

  async #do(sessionId: string, line: string): Promise<string | Failure> {
    const editings = await fetchEditings(this.#onDemand);
    return editings?.of(sessionId).command(line) ?? new Failure("UNAVAILABLE", m.common_not_fetched());
  }

  /** A command without a session; where it begins a list, the next one is for that. */
  async #begin(line: string): Promise<string | Failure> {
    try {
      const commanded = await this.#gateway.call("todo.command", { sessionId: NO_SESSION, line });
      if (commanded.edited) this.for(commanded.edited.sessionId);
      return outcomeInWords(commanded);
    } catch (thrown) {
      return toFailure(thrown);
    }
  }

  /** Asks how the line can go on. While one request is under way no other is sent: the newest line comes after it. */
  async complete(): Promise<void> {
    if (this.#completing) return;
    this.#completing = true;
    for (let of = ""; of !== this.wanted && this.sessionId !== undefined && !this.isAway;) {
      of = this.wanted;
      // oxlint-disable-next-line no-await-in-loop
      const found = await this.#ask(this.sessionId, this.text);
      if (of === this.wanted) this.offered = { ...found, of };
    }
    this.#completing = false;
  }

  /** Without an answer the bar works, only without completion. */
  async #ask(sessionId: string, line: string): Promise<Completions> {
    try {
      return completionsInWords(await this.#gateway.call("todo.complete", { sessionId, line }));
    } catch {
      return { choices: [] };
    }
  }
}
