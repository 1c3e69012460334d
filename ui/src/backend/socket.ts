import { version } from "../../package.json";
import type { Answers, Request } from "../protocol/types";
import { Failure, toFailure, type Backend, type Fields, type Message } from "./backend";
import { enter, Unknown, Unproven, type Entrance, type PageKey } from "./page-key";
import { m } from "../paraglide/messages";

const ANSWER_WITHIN = 15_000;
/** Requests that start programs take as long as those do; a connection that breaks meanwhile tells of itself. */
const PATIENCE: Partial<Record<Request["type"], number>> = {
  "agents.list": 120_000,
  "agents.plan": 60_000,
  "agents.apply": 300_000,
  "agents.test": 600_000,
  "demo.start": 60_000,
  "chat.models": 60_000,
  "chat.test": 120_000,
  "chat.tools": 120_000,
};
/** A gateway ends the connection at a message that is longer. */
const MEBIBYTE = 1024 * 1024;
const MESSAGE_MEBIBYTES = 1;
const IMPORT_MEBIBYTES = 8;
const LONGEST_PAUSE = 5_000;
const OPEN_WITHIN = 10_000;
/** After that without a word the gateway is asked whether it is there. */
const SILENCE = 20_000;
/** The close code of a gateway for a key that has ended. */
const KEY_ENDED = 1008;

type Waiting = { resolve: (answer: never) => void; reject: (failure: Failure) => void; timer: number };
type Incoming = { type: string; id?: string; requestId?: string; [field: string]: unknown };

/** A gateway over its WebSocket, at the address that served the page. */
export function socketBackend(key: PageKey): Backend {
  const link = new Link(key);
  return {
    call: (type, fields) => link.call(type, fields),
    follow: (onMessage) => link.follow(onMessage),
    keyId: key.id,
  };
}

class Link {
  readonly #key: PageKey;
  /** Tells this page from others over all its connections: its edits stay its own. */
  readonly #id = newId();
  readonly #waiting = new Map<string, Waiting>();
  #socket: WebSocket | undefined;
  #ready = false;
  #onMessage: ((message: Message) => void) | undefined;
  #cursor: string | undefined;
  #attempts = 0;
  #retry: number | undefined;
  #silence: number | undefined;
  #lastId = 0;

  constructor(key: PageKey) {
    this.#key = key;
  }

  follow(onMessage: (message: Message) => void): () => void {
    this.#onMessage = onMessage;
    const nudge = (): void => {
      if (!document.hidden && this.#retry !== undefined) void this.#connect();
    };
    document.addEventListener("visibilitychange", nudge);
    window.addEventListener("online", nudge);
    void this.#connect();
    return () => {
      document.removeEventListener("visibilitychange", nudge);
      window.removeEventListener("online", nudge);
      this.#onMessage = undefined;
      clearTimeout(this.#retry);
      this.#retry = undefined;
      this.#socket?.close();
    };
  }

  call<T extends Request["type"]>(type: T, fields: Fields<T>): Promise<Answers[T]> {
    if (!this.#ready) return Promise.reject(new Failure("UNAVAILABLE", m.common_gone()));
    return this.#ask(type, fields);
  }

  #ask<T extends Request["type"]>(type: T, fields: Fields<T>): Promise<Answers[T]> {
    const socket = this.#socket;
    if (!socket) return Promise.reject(new Failure("UNAVAILABLE", m.common_gone()));
    this.#lastId += 1;
    const id = String(this.#lastId);
    const text = JSON.stringify({ ...fields, id, type });
    const limit = type === "session.import" ? IMPORT_MEBIBYTES : MESSAGE_MEBIBYTES;
    // A UTF-16 code unit has three bytes of UTF-8 at most, so only a long text is measured.
    if (3 * text.length > limit * MEBIBYTE && new Blob([text]).size > limit * MEBIBYTE) {
      return Promise.reject(new Failure("MESSAGE_TOO_LARGE", m.common_too_large({ limit })));
    }
    return new Promise((resolve, reject) => {
      const timer = window.setTimeout(() => this.#drop(socket), PATIENCE[type] ?? ANSWER_WITHIN);
      this.#waiting.set(id, { resolve, reject, timer });
      socket.send(text);
    });
  }

  async #connect(): Promise<void> {
    clearTimeout(this.#retry);
    this.#retry = undefined;
    let entrance: Entrance;
    try {
      entrance = await enter(this.#key);
    } catch (thrown) {
      this.#refused(thrown);
      return;
    }
    if (this.#onMessage && !this.#socket) this.#open(entrance);
  }

  /** A program that is no gateway, or none of ours, is sent nothing, however often it answers. */
  #refused(thrown: unknown): void {
    if (thrown instanceof Unknown || thrown instanceof Unproven) {
      const isForeign = thrown instanceof Unproven;
      const message = isForeign ? m.common_unproven() : m.common_key_ended();
      this.#onMessage?.({ type: "gateway.rejected", message, isForeign });
      return;
    }
    this.#onMessage?.({ type: "gateway.state", state: "disconnected" });
    this.#later();
  }

  #later(): void {
    if (!this.#onMessage) return;
    const pause = Math.min(LONGEST_PAUSE, 250 * 2 ** this.#attempts) * (0.5 + Math.random() / 2);
    this.#attempts += 1;
    clearTimeout(this.#retry);
    this.#retry = window.setTimeout(() => void this.#connect(), pause);
  }

  #open(entrance: Entrance): void {
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(`${scheme}//${location.host}/gateway`, entrance.protocols);
    this.#socket = socket;
    let isProved = false;
    const late = window.setTimeout(() => this.#drop(socket), OPEN_WITHIN);
    socket.addEventListener("message", (event: MessageEvent<unknown>) => {
      if (this.#socket !== socket || typeof event.data !== "string") return;
      this.#listen(socket);
      if (isProved) {
        this.#take(event.data);
        return;
      }
      isProved = true;
      void this.#first(socket, entrance, event.data).finally(() => clearTimeout(late));
    });
    socket.addEventListener("close", (event) => {
      clearTimeout(late);
      this.#lost(socket, event.code);
    });
  }

  /** The first message proves that it is still the gateway; only then anything is sent. */
  async #first(socket: WebSocket, entrance: Entrance, data: string): Promise<void> {
    if (await entrance.isOpenedBy(read(data))) {
      await this.#greet(socket);
      return;
    }
    if (this.#socket !== socket) return;
    this.#socket = undefined;
    socket.close();
    this.#refused(new Unproven());
  }

  /** A browser shows no page the gateway's pings: who hears nothing for a while asks. */
  #listen(socket: WebSocket): void {
    clearTimeout(this.#silence);
    this.#silence = window.setTimeout(() => {
      if (this.#ready) this.#ask("gateway.status", {}).catch(() => undefined);
      this.#listen(socket);
    }, SILENCE);
  }

  /** Gives a connection up at once: a browser waits a minute for a peer that says no goodbye. */
  #drop(socket: WebSocket): void {
    socket.close();
    this.#lost(socket, 1006);
  }

  async #greet(socket: WebSocket): Promise<void> {
    try {
      const client = { name: "page", version, id: this.#id, transport: "page" } as const;
      const { rights } = await this.#ask("hello", { client });
      if (rights !== undefined) this.#onMessage?.({ type: "gateway.greeted", rights });
      await this.#subscribe();
      this.#attempts = 0;
    } catch {
      socket.close();
    }
  }

  async #subscribe(): Promise<void> {
    await this.#ask("events.subscribe", this.#cursor === undefined ? {} : { since: this.#cursor });
  }

  #take(text: string): void {
    let message: Incoming;
    try {
      message = JSON.parse(text) as Incoming;
    } catch {
      return;
    }
    if (message.type === "events.subscribe.result") {
      this.#ready = true;
      this.#tell(message as unknown as Message);
    }
    if (!this.#settle(message)) this.#tell(message as unknown as Message);
  }

  /** Hands an answer to the call that waits for it; false for everything that is not an answer. */
  #settle(message: Incoming): boolean {
    const id = idOf(message);
    const waiting = id === undefined ? undefined : this.#waiting.get(id);
    if (id === undefined || !waiting) return false;
    this.#waiting.delete(id);
    clearTimeout(waiting.timer);
    if (message.type === "error") {
      waiting.reject(toFailure(message));
    } else {
      waiting.resolve(message as never);
    }
    return true;
  }

  #tell(message: Message): void {
    if (message.type === "gateway.state" && message.state === "lagged") {
      // Events that were left out may be older than the last cursor that came: only a whole snapshot will do.
      this.#cursor = undefined;
      this.#subscribe().catch(() => this.#socket?.close());
      return;
    }
    if ("cursor" in message) this.#cursor = message.cursor;
    this.#onMessage?.(message);
  }

  #lost(socket: WebSocket, code: number): void {
    if (this.#socket !== socket) return;
    this.#socket = undefined;
    clearTimeout(this.#silence);
    this.#ready = false;
    for (const { reject, timer } of this.#waiting.values()) {
      clearTimeout(timer);
      reject(new Failure("UNAVAILABLE", m.common_cut()));
    }
    this.#waiting.clear();
    if (!this.#onMessage) return;
    this.#onMessage({ type: "gateway.state", state: "disconnected" });
    if (code === KEY_ENDED)
      this.#onMessage({ type: "gateway.rejected", message: m.common_key_ended(), isForeign: false });
    else this.#later();
  }
}

/**
 * The call that a message answers. Events name a request as well: the one that caused them, or that a run of the
 * built-in agent's began with. It may be another client's.
 */
function idOf({ type, id, requestId, sessionId }: Incoming): string | undefined {
  return id ?? (type === "error" && sessionId === undefined ? requestId : undefined);
}

function read(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}

/** Not `randomUUID`, which is only there in a secure context. */
function newId(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("");
}
