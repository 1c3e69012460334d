import { SvelteMap } from "svelte/reactivity";
import { toFailure } from "../backend/backend";
import type { Item, Revisions, RevisionView, SessionAt } from "../protocol/types";
import { oncePerFrame } from "../shared/frame";
import type { Gateway } from "./gateway.svelte";

/** Revisions of which it is told at once who made them. */
const PAGE = 200;
/** Lists that are kept, so that going back and forth asks for none twice. */
const KEPT = 200;

/** Goes back over the revisions of one list. */
export class Travel {
  /** The revision that is looked for; nothing is now. */
  wanted = $state<number>();
  /** The newest answer to that: while it is on its way, the one before. */
  shown = $state.raw<SessionAt>();
  /** The list before it, as far as that is known: where the steps stood that are gone. */
  before = $state.raw<Item[]>();
  /** Why there is none. */
  problem = $state<string>();
  /** The oldest that is kept, as far as that is known. */
  first = $state(1);
  /** True if all revisions that are kept are in `made`. */
  isAllTold = $state(false);
  /** The revisions: their authors and changes. */
  readonly made = new SvelteMap<number, RevisionView>();
  /** Revisions between others that are not kept: the last of each stretch, by the first. */
  readonly holes = new SvelteMap<number, number>();

  readonly sessionId: string;
  readonly #gateway: Gateway;
  readonly #kept = new Map<number, SessionAt>();
  readonly #schedule = oncePerFrame(() => void this.#follow());
  #isAsking = false;
  #isTelling = false;
  #cursor: string | undefined;

  constructor(gateway: Gateway, sessionId: string) {
    this.#gateway = gateway;
    this.sessionId = sessionId;
  }

  /** Goes to a revision; to now without one. Of those that are passed on the way within a frame the last is asked for. */
  go(revision: number | undefined): void {
    if (revision === this.wanted) return;
    this.wanted = revision;
    this.problem = undefined;
    if (revision === undefined) this.shown = undefined;
    else this.#schedule();
  }

  /** The nearest revision that is kept, in the direction from another one. */
  nearest(to: number, from: number): number {
    for (const [first, last] of this.holes) {
      if (to >= first && to <= last) return to < from ? first - 1 : last + 1;
    }
    return to;
  }

  /** Asks who made the newest revisions, those that are not known yet; the older ones only when somebody goes back. */
  async tell(newest: number): Promise<void> {
    if (this.#isTelling || this.made.has(newest)) return;
    const known = Math.max(0, ...this.made.keys());
    const page = await this.#askMade(known > 0 ? { limit: Math.min(PAGE, newest - known) } : { limit: PAGE });
    if (page && known === 0) this.#noteEnd(page);
  }

  /** Asks for all of them, page by page. */
  async tellAll(newest: number): Promise<void> {
    await this.tell(newest);
    while (this.#cursor !== undefined && !this.#isTelling) {
      // oxlint-disable-next-line no-await-in-loop
      const page = await this.#askMade({ limit: PAGE, cursor: this.#cursor });
      if (!page) return;
      this.#noteEnd(page);
    }
  }

  async #askMade(of: { limit: number; cursor?: string }): Promise<Revisions | undefined> {
    this.#isTelling = true;
    try {
      const page = await this.#gateway.call("session.revisions", { sessionId: this.sessionId, ...of });
      let above = of.cursor === undefined ? undefined : Number(of.cursor);
      for (const view of page.revisions) {
        this.made.set(view.revision, view);
        if (above !== undefined && above - view.revision > 1) this.holes.set(view.revision + 1, above - 1);
        above = view.revision;
      }
      return page;
    } catch {
      // The timeline works without.
      return undefined;
    } finally {
      this.#isTelling = false;
    }
  }

  #noteEnd({ revisions, nextCursor }: Revisions): void {
    this.#cursor = nextCursor;
    this.isAllTold = nextCursor === undefined;
    this.first = this.isAllTold ? (revisions.at(-1)?.revision ?? this.first) : this.first;
  }

  /** One request at a time; what is wanted by then comes after it. */
  async #follow(): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    for (let at = this.wanted; at !== undefined && this.shown?.revision !== at; at = this.wanted) {
      const kept = this.#kept.get(at);
      try {
        // oxlint-disable-next-line no-await-in-loop
        const answer = kept ?? (await this.#ask(at));
        if (this.wanted === undefined) break;
        this.before = this.#kept.get(at - 1)?.todos;
        this.shown = answer;
        // oxlint-disable-next-line no-await-in-loop
        if (this.wanted === at && !this.before && answer.removed?.length) await this.#askBefore(at);
      } catch (thrown) {
        if (this.wanted !== at) continue;
        this.problem = toFailure(thrown).message;
        break;
      }
    }
    this.#isAsking = false;
  }

  async #askBefore(at: number): Promise<void> {
    try {
      const { todos } = await this.#ask(at - 1);
      if (this.shown?.revision === at) this.before = todos;
    } catch {
      // It is not kept any more: what is gone stands at the end.
    }
  }

  async #ask(revision: number): Promise<SessionAt> {
    const answer = await this.#gateway.call("session.get", { sessionId: this.sessionId, revision });
    this.#kept.set(revision, answer);
    const oldest = this.#kept.keys().next().value;
    if (this.#kept.size > KEPT && oldest !== undefined) this.#kept.delete(oldest);
    return answer;
  }
}
