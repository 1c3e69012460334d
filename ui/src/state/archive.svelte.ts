import type { VirtualizerHandle } from "virtua/svelte";
import { toFailure, type Message } from "../backend/backend";
import type { ArchiveInfo, ListEntry, SearchHit } from "../protocol/types";
import { filterOf, NOTHING_ASKED, type Asked } from "./asked";
import { useOnDemand } from "./context";
import type { Gateway } from "./gateway.svelte";

/** The number of lines that fill a window at once, and of those that follow before anybody gets there. */
const FIRST = 60;
const NEXT = 200;
/** While somebody types, nothing is asked for more often. */
const PACE = 120;
/** Sessions begin in bursts. */
const REFRESH = 1_000;
/** Pages that were all filtered out are gone on from, so many at once. */
const EMPTY_PAGES = 40;

/** The heights of lines that have been in view. */
export type Sizes = ReturnType<VirtualizerHandle["getCache"]>;

type Page = { lists: ListEntry[]; results: SearchHit[]; nextCursor: string | undefined };

/** The lists that there ever were, as far as they have been looked at. It outlives its page. */
export class Archive {
  asked = $state.raw<Asked>(NOTHING_ASKED);
  lists = $state.raw<ListEntry[]>([]);
  results = $state.raw<SearchHit[]>([]);
  /** The question that `lists` and `results` answer: while another is asked they stay. */
  shown = $state.raw<Asked>();
  /** There is nothing more to ask for. */
  isOver = $state(false);
  /** Why there is nothing to see; a gateway that is away says so itself. */
  problem = $state<string>();
  info = $state.raw<ArchiveInfo>();
  /** The first lines are in view: new ones come in above them. */
  isAtTop = false;
  /** Where the page was left. */
  left: { asked: Asked; offset: number; sizes: Sizes | undefined } | undefined;

  readonly #gateway: Gateway;
  #cursor: string | undefined;
  /** Only the answer to the newest question counts. */
  #turn = 0;
  /** The question of which more is being asked. */
  #more: number | undefined;
  #refresh: number | undefined;
  #askedAt = -PACE;
  #timer: number | undefined;

  constructor(gateway: Gateway) {
    this.#gateway = gateway;
  }

  /** Hears what is deleted and what comes back; returns what ends that. */
  open(): () => void {
    const end = this.#gateway.listen((message) => this.#take(message));
    return () => {
      end();
      clearTimeout(this.#timer);
      clearTimeout(this.#refresh);
    };
  }

  /** Asks for something else, or for the same anew. */
  look(asked: Asked): void {
    this.asked = asked;
    this.#turn += 1;
    clearTimeout(this.#timer);
    const wait = Math.max(0, this.#askedAt + PACE - performance.now());
    if (wait === 0) void this.#begin();
    else this.#timer = window.setTimeout(() => void this.#begin(), wait);
  }

  /** Asks for what comes after what is there, unless that is on its way. */
  async more(): Promise<void> {
    const turn = this.#turn;
    if (this.#more === turn || this.isOver || this.shown !== this.asked) return;
    this.#more = turn;
    try {
      const page = await this.#pages(this.asked, NEXT, this.#cursor, turn);
      if (turn === this.#turn && page) this.#add(page);
    } catch (thrown) {
      if (turn === this.#turn) this.#fail(thrown);
    } finally {
      if (this.#more === turn) this.#more = undefined;
    }
  }

  /** The size of the archive, and the values that it can be filtered by. */
  async count(): Promise<void> {
    try {
      this.info = await this.#gateway.call("archive.status", {});
    } catch {
      // The page works without.
    }
  }

  /** Takes lists off the page that are not what is asked for any more. */
  drop(ids: ReadonlySet<string>): void {
    this.#keep(({ listId }) => !ids.has(listId));
  }

  #keep(isLeft: (list: ListEntry | SearchHit) => boolean): void {
    this.lists = this.lists.filter(isLeft);
    this.results = this.results.filter(isLeft);
  }

  async #begin(): Promise<void> {
    const turn = this.#turn;
    const { asked } = this;
    this.#askedAt = performance.now();
    try {
      const page = await this.#pages(asked, FIRST, undefined, turn);
      if (turn !== this.#turn || !page) return;
      this.problem = undefined;
      this.lists = [];
      this.results = [];
      this.shown = asked;
      this.#add(page);
    } catch (thrown) {
      if (turn === this.#turn) this.#fail(thrown);
    }
  }

  /** A page with something on it; nothing where something else is asked meanwhile. */
  async #pages(
    asked: Asked,
    limit: number,
    cursor: string | undefined,
    turn: number,
  ): Promise<Page | undefined> {
    let from = cursor;
    for (let count = 0; count < EMPTY_PAGES; count += 1) {
      // oxlint-disable-next-line no-await-in-loop
      const page = await this.#page(asked, limit, from);
      if (turn !== this.#turn) return undefined;
      from = page.nextCursor;
      if (from === undefined || page.lists.length + page.results.length > 0) return page;
    }
    return { lists: [], results: [], nextCursor: from };
  }

  async #page(asked: Asked, limit: number, cursor: string | undefined): Promise<Page> {
    const fields = { filter: filterOf(asked, Date.now()), limit, ...(cursor !== undefined && { cursor }) };
    if (asked.q.trim() === "") {
      const { lists, nextCursor } = await this.#gateway.call("archive.lists", fields);
      return { lists, results: [], nextCursor };
    }
    const query = { ...fields, query: asked.q };
    const { results, nextCursor } = await this.#gateway.call("session.search", query);
    return { lists: [], results, nextCursor };
  }

  /** Lists that moved while pages were asked for are not shown twice. */
  #add({ lists, results, nextCursor }: Page): void {
    const known = new Set(this.lists.map(({ listId }) => listId));
    const found = new Set(this.results.map(keyOf));
    this.lists = [...this.lists, ...lists.filter(({ listId }) => !known.has(listId))];
    this.results = [...this.results, ...results.filter((result) => !found.has(keyOf(result)))];
    this.#cursor = nextCursor;
    this.isOver = nextCursor === undefined;
  }

  #fail(thrown: unknown): void {
    const { code, message } = toFailure(thrown);
    if (code !== "UNAVAILABLE") this.problem = message;
  }

  #take(message: Message): void {
    if (message.type === "session.deleted" && !this.asked.deleted)
      this.#keep(({ session }) => session.sessionId !== message.sessionId);
    const [comes, goes] = this.asked.deleted
      ? (["list.deleted", "list.undeleted"] as const)
      : (["list.undeleted", "list.deleted"] as const);
    if (message.type === goes) this.#keep(({ listId }) => listId !== message.listId);
    if ((message.type !== "session.created" && message.type !== comes) || !this.isAtTop) return;
    clearTimeout(this.#refresh);
    this.#refresh = window.setTimeout(() => this.isAtTop && this.look(this.asked), REFRESH);
  }
}

function keyOf({ listId, uid }: SearchHit): string {
  return `${listId} ${uid ?? ""}`;
}

/** The lists that there ever were, for the pages of the window. */
export const useArchive = (): Archive => useOnDemand().of(Archive);

/** True if two questions are the same. */
export function isSame(left: Asked, right: Asked): boolean {
  const keys = Object.keys({ ...left, ...right }) as (keyof Asked)[];
  return keys.every((key) => left[key] === right[key]);
}
