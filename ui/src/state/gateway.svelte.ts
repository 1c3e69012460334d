import { SvelteMap } from "svelte/reactivity";
import { toFailure, type Backend, type Fields, type Message } from "../backend/backend";
import { inWords } from "../backend/in-words";
import type { Answers, GatewayInfo, Request, Rights } from "../protocol/types";
import { apply, applyFetched, applyListed, applyMade, type KnownSession, type Sessions } from "./apply";
import { oncePerFrame } from "../shared/frame";
import { motion } from "../shared/motion";
import { shut } from "../shared/part.svelte";
import { knownAgents } from "./known-agents.svelte";
import { needsOf, reuseNeeds, type NeedEntry } from "./needs";
import { places } from "./places.svelte";
import { reuse } from "./reuse";
import { toRuns, type Run } from "./runs";

export type LinkState = "connecting" | "connected" | "reconnecting" | "rejected";

/** More than these wait for the next frame, so that a burst over many sessions cannot fill one; fewer after a late one. */
const SESSIONS_PER_FRAME = 12;
const FEWEST_PER_FRAME = 3;
/** The milliseconds after which the next frame is late. */
const LATE = 25;
/** The milliseconds between two paints of a session that is not looked at: nobody reads faster. */
const REST = 80;
const EARLIER = 20;

/** One session as it is painted: replaced whole, so that a view reads one thing. */
export class Shown {
  readonly id: string;
  known: KnownSession;
  /** The time of the frame in which it was painted last, but for the snapshot's. */
  paintedAt = -Infinity;

  constructor(known: KnownSession) {
    this.id = known.session.sessionId;
    this.known = $state.raw(known);
  }
}

/**
 * The gateway's messages, as they are painted.
 *
 * Messages change `#told` at once; the views follow once per frame, so the newest of a burst wins.
 */
export class Gateway {
  link = $state<LinkState>("connecting");
  /** Why the link is as it is, where that is known. */
  reason = $state<string>();
  /** When the link went down, while it is. */
  lostAt = $state<number>();
  /** Rights of a page's connection; the window of the gateway's own process has all of them. */
  rights = $state<Rights>();
  status = $state.raw<GatewayInfo>();
  /** True if the first snapshot is painted. */
  arrived = $state(false);
  readonly #runs: Map<string, Run> = $derived.by(() => this.#grouped());
  /** The runs in their order: as the user put them, else the youngest first. */
  readonly order: Run[] = $derived([...this.#runs.values()]);
  /** Everything that the user is needed for: the very same list for all who show it, until something in it changes. */
  readonly needs: NeedEntry[] = $derived.by(() => {
    this.#needsBefore = reuseNeeds(this.#needsBefore, needsOf(this.order));
    return this.#needsBefore;
  });

  /** The session that the user looks at: in a burst it is painted first. */
  watched: string | undefined;

  readonly #shown = new SvelteMap<string, Shown>();
  readonly #told: Sessions = new Map();
  readonly #changed = new Set<string>();
  readonly #asked = new Map<string, Promise<Answers["session.get"]>>();
  readonly #backend: Backend;
  readonly #schedule = oncePerFrame((time) => this.#paint(time));
  readonly #listeners = new Set<(message: Message) => void>();
  #runsBefore: ReadonlyMap<string, Run> = new Map();
  #needsBefore: NeedEntry[] = [];
  #snapshotTold = false;
  /** A snapshot is painted in one go, however large: nothing is shown by halves. */
  #all = false;
  #room = SESSIONS_PER_FRAME;
  /** The time of the last frame, where more was to be painted in the next one. */
  #before: number | undefined;

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  /** True if this connection may change lists and sessions. */
  get mayEdit(): boolean {
    return this.rights !== "look";
  }

  /** True if this connection may answer agents. */
  get mayAnswer(): boolean {
    return this.rights === undefined || this.rights === "answer" || this.rights === "administer";
  }

  /** Follows the stream; returns what ends it. */
  open(): () => void {
    const end = this.#backend.follow((message) => this.#take(message));
    return () => {
      end();
      motion.stop();
    };
  }

  call<T extends Request["type"]>(type: T, fields: Fields<T>): Promise<Answers[T]> {
    return this.#backend.call(type, fields);
  }

  get(sessionId: string): Shown | undefined {
    return this.#shown.get(sessionId);
  }

  /** The run of a session: that session's own, or the one that an agent's own list is of. */
  run(sessionId: string): Run | undefined {
    const run = this.#runs.get(sessionId);
    if (run) return run;
    const session = this.get(sessionId)?.known.session;
    return session?.ownTool === undefined ? undefined : this.#runs.get(session.parentSessionId ?? "");
  }

  /** Hears every message as it comes; returns what ends that. */
  listen(listener: (message: Message) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Asks for one session with its list, for one that the snapshot did not bring. */
  async fetch(sessionId: string): Promise<void> {
    // News are painted a frame later; they are not asked for again until then.
    if (this.#told.get(sessionId)?.whole) return;
    const { ownSessionId } = await this.#fetchOne(sessionId);
    if (ownSessionId !== undefined) await this.fetch(ownSessionId);
  }

  /** A session that is being asked for is not asked for twice. */
  #fetchOne(sessionId: string): Promise<Answers["session.get"]> {
    const asking = this.#asked.get(sessionId);
    if (asking) return asking;
    const asked = this.#get(sessionId).finally(() => this.#asked.delete(sessionId));
    this.#asked.set(sessionId, asked);
    return asked;
  }

  async #get(sessionId: string): Promise<Answers["session.get"]> {
    const answer = await this.call("session.get", { sessionId });
    const { session, todos, edits } = answer;
    this.#mark(applyFetched(this.#told, { session, todos, edits }));
    return answer;
  }

  /** Asks who made a session's newest revision, where no event has told. */
  async fetchMade(sessionId: string): Promise<void> {
    const { revisions } = await this.call("session.revisions", { sessionId, limit: 1 });
    if (revisions[0]) this.#mark(applyMade(this.#told, sessionId, revisions[0]));
  }

  /** Asks for the newest sessions, whether they are current or not. */
  async fetchEarlier(): Promise<void> {
    const { sessions } = await this.call("session.list", { limit: EARLIER });
    this.#mark(applyListed(this.#told, sessions));
  }

  #take(message: Message): void {
    for (const listener of this.#listeners) listener(message);
    if (message.type === "events.subscribe.result") this.#connected();
    else if (message.type === "gateway.state") {
      if (message.state === "disconnected" || message.state === "closing") {
        if (this.link === "connected") this.lostAt = Date.now();
        this.link = this.#snapshotTold ? "reconnecting" : "connecting";
        this.reason = message.message && inWords(message.message, message.text);
      }
      return;
    } else if (message.type === "gateway.greeted") {
      this.rights = message.rights;
      return;
    } else if (message.type === "gateway.rejected") {
      if (message.isForeign) shut();
      this.link = "rejected";
      this.reason = message.message;
      return;
    }
    this.#mark(apply(this.#told, message));
  }

  #connected(): void {
    this.link = "connected";
    this.lostAt = undefined;
    this.reason = undefined;
    this.#snapshotTold = true;
    this.#all = true;
    void this.#ask();
  }

  async #ask(): Promise<void> {
    try {
      this.status = await this.call("gateway.status", {});
      knownAgents.set((await this.call("agents.list", { knownOnly: true })).known ?? []);
      await this.fetchEarlier();
    } catch (thrown) {
      // The page works without; a broken link tells of itself.
      if (toFailure(thrown).code !== "UNAVAILABLE") this.reason = toFailure(thrown).message;
    }
  }

  #mark(ids: Iterable<string>): void {
    for (const id of ids) this.#changed.add(id);
    this.#schedule();
  }

  #paint(time: number): void {
    const sinceLast = this.#before === undefined || document.hidden ? undefined : time - this.#before;
    if (sinceLast === undefined) this.#room = SESSIONS_PER_FRAME;
    else if (sinceLast > LATE) this.#room = Math.max(FEWEST_PER_FRAME, Math.floor(this.#room / 2));
    else this.#room = Math.min(SESSIONS_PER_FRAME, this.#room + 1);
    const due = this.#due(time);
    this.#all = false;
    if (due.length > 0) motion.note();
    for (const id of due) {
      this.#changed.delete(id);
      this.#show(id);
    }
    this.#before = this.#changed.size > 0 ? time : undefined;
    if (this.#changed.size > 0) this.#schedule();
    else if (this.#snapshotTold) this.arrived = true;
  }

  /** The changed sessions that this frame paints: all of a snapshot, and the one that is looked at in any case. */
  #due(time: number): string[] {
    if (this.#all) return [...this.#changed];
    const due: string[] = [];
    const { watched } = this;
    if (watched !== undefined && this.#changed.has(watched)) due.push(watched);
    const room = due.length + this.#room;
    for (const id of this.#changed) {
      if (due.length === room) break;
      const shown = this.#shown.get(id);
      if (id === watched || (shown && time - shown.paintedAt < REST)) continue;
      if (shown) shown.paintedAt = time;
      due.push(id);
    }
    return due;
  }

  #show(id: string): void {
    const told = this.#permitted(this.#told.get(id));
    const shown = this.#shown.get(id);
    if (!told) this.#shown.delete(id);
    else if (!shown) this.#shown.set(id, new Shown(told));
    else shown.known = reuse(shown.known, told);
  }

  /** To whoever may only look every list is one that cannot be changed. */
  #permitted(told: KnownSession | undefined): KnownSession | undefined {
    if (this.mayEdit || !told || told.session.readOnly) return told;
    return { ...told, session: { ...told.session, readOnly: true } };
  }

  #grouped(): Map<string, Run> {
    const sessions = [...this.#shown.values()].map(({ known }) => known);
    const runs = toRuns(sessions, this.#runsBefore, places.ids);
    this.#runsBefore = runs;
    return runs;
  }
}
