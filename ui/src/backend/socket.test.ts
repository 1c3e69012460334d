import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Message } from "./backend";
import { Unknown, Unproven } from "./page-key";
import { socketBackend } from "./socket";

const page = vi.hoisted(() => ({ failure: undefined as Error | undefined }));

vi.mock("./page-key", async (original) => ({
  ...(await original<object>()),
  enter: () =>
    page.failure === undefined
      ? Promise.resolve({
          protocols: ["sightline", "proof.k"],
          isOpenedBy: (message: { type?: unknown; proof?: unknown }) =>
            Promise.resolve(message.type === "proved" && message.proof === "right"),
        })
      : Promise.reject(page.failure),
}));

/** A WebSocket whose other end is the test. */
class Wire extends EventTarget {
  static all: Wire[] = [];
  readonly sent: Record<string, unknown>[] = [];
  readonly url: string;
  readonly protocols: string[];

  constructor(url: string, protocols: string[]) {
    super();
    this.url = url;
    this.protocols = protocols;
    Wire.all.push(this);
  }

  send(text: string): void {
    this.sent.push(JSON.parse(text) as Record<string, unknown>);
  }

  close(): void {
    this.drop();
  }

  open(): void {
    this.dispatchEvent(new Event("open"));
  }

  drop(code = 1006): void {
    this.dispatchEvent(Object.assign(new Event("close"), { code }));
  }

  tell(message: object): void {
    this.dispatchEvent(new MessageEvent("message", { data: JSON.stringify(message) }));
  }

  answer(type: string, fields: object = {}): void {
    const asked = this.sent.findLast((message) => message.type === type);
    this.tell({ type: `${type}.result`, id: asked?.id, ...fields });
  }
}

const wire = (): Wire => Wire.all.at(-1) as Wire;
const snapshot = { cursor: "db:7", sessions: [], whole: true, deleted: [] };
let messages: Message[];
let stop: () => void;
let backend: ReturnType<typeof socketBackend>;

beforeEach(async () => {
  vi.useFakeTimers();
  Wire.all = [];
  messages = [];
  page.failure = undefined;
  vi.stubGlobal("WebSocket", Wire);
  backend = socketBackend({ id: "k", key: {} as CryptoKey });
  stop = backend.follow((message) => messages.push(message));
  await vi.advanceTimersByTimeAsync(0);
});

afterEach(() => {
  stop();
  vi.useRealTimers();
});

async function prove(): Promise<void> {
  wire().open();
  wire().tell({ type: "proved", proof: "right" });
  await vi.advanceTimersByTimeAsync(0);
}

async function connect(): Promise<void> {
  await prove();
  wire().answer("hello", { protocol: 1, version: "1", cursor: "db:9" });
  await vi.advanceTimersByTimeAsync(0);
  wire().answer("events.subscribe", snapshot);
  await vi.advanceTimersByTimeAsync(0);
}

const states = (): string[] =>
  messages.map((message) => (message.type === "gateway.state" ? message.state : message.type));

test("it says who it is once the gateway is proved, then follows", async () => {
  await connect();
  expect(wire().protocols).toEqual(["sightline", "proof.k"]);
  expect(wire().sent.map(({ type }) => type)).toEqual(["hello", "events.subscribe"]);
  expect(states()).toEqual(["events.subscribe.result"]);
});

test("an answer goes to its call, an error rejects it with its code", async () => {
  await connect();
  const cleared = backend.call("todo.clear", { sessionId: "s" });
  wire().answer("todo.clear", { sessionId: "s", revision: 2 });
  expect(await cleared).toMatchObject({ revision: 2 });
  const failed = backend.call("todo.clear", { sessionId: "t" });
  wire().tell({
    type: "error",
    requestId: wire().sent.at(-1)?.id,
    code: "SESSION_NOT_FOUND",
    message: "No.",
  });
  await expect(failed).rejects.toMatchObject({ code: "SESSION_NOT_FOUND", message: "No." });
});

/** A text of so many bytes. */
const long = (bytes: number): string => "é".repeat(bytes / 2);

test("a message that would end the connection is not sent", async () => {
  await connect();
  const sent = wire().sent.length;
  const write = backend.call("todo.clear", { sessionId: long(1_048_576) });
  await expect(write).rejects.toMatchObject({ code: "MESSAGE_TOO_LARGE" });
  const imports = backend.call("session.import", { text: long(8_388_608) });
  await expect(imports).rejects.toMatchObject({ code: "MESSAGE_TOO_LARGE" });
  expect(wire().sent.length).toBe(sent);
  const fits = backend.call("session.import", { text: long(8_300_000) });
  expect(wire().sent.length).toBe(sent + 1);
  wire().answer("session.import", { sessions: [], known: 0 });
  expect(await fits).toMatchObject({ known: 0 });
});

test("an update that names our request is an event, not the answer", async () => {
  await connect();
  const cleared = backend.call("todo.clear", { sessionId: "s" });
  wire().tell({ type: "todo.update", requestId: wire().sent.at(-1)?.id, cursor: "db:8" });
  wire().answer("todo.clear", { revision: 2 });
  expect(await cleared).toMatchObject({ revision: 2 });
  expect(states()).toContain("todo.update");
});

test("what a run of the built-in agent's tells is no answer, whatever request it names", async () => {
  await connect();
  const sent = backend.call("chat.send", { content: "Do it" });
  const id = wire().sent.at(-1)?.id;
  wire().tell({ type: "chat.stream.start", requestId: id, sessionId: "s", model: "a:b" });
  wire().tell({ type: "error", requestId: id, sessionId: "s", code: "AGENT_ERROR", message: "No." });
  wire().answer("chat.send", { sessionId: "s", requestId: id, model: "a:b", created: true });
  expect(await sent).toMatchObject({ sessionId: "s", created: true });
  expect(messages.map(({ type }) => type)).toEqual(["events.subscribe.result", "chat.stream.start", "error"]);
});

test("without a connection a call fails at once", async () => {
  await expect(backend.call("todo.clear", { sessionId: "s" })).rejects.toMatchObject({ code: "UNAVAILABLE" });
});

test("it connects again by itself and asks for what it missed", async () => {
  await connect();
  wire().tell({ type: "session.deleted", cursor: "db:12", sessionId: "s" });
  const open = backend.call("todo.clear", { sessionId: "s" });
  wire().drop();
  await expect(open).rejects.toMatchObject({ code: "UNAVAILABLE" });
  await vi.advanceTimersByTimeAsync(500);
  expect(Wire.all).toHaveLength(2);
  await prove();
  wire().answer("hello");
  await vi.advanceTimersByTimeAsync(0);
  expect(wire().sent.at(-1)).toMatchObject({ type: "events.subscribe", since: "db:12" });
  const clients = Wire.all.map(({ sent }) => sent[0]?.client);
  expect(clients[1], "the same client as before").toEqual(clients[0]);
  expect(clients[0]).toMatchObject({ transport: "page", id: expect.stringMatching(/^[0-9a-f]{32}$/) });
});

test("the pauses grow, to five seconds at most", async () => {
  for (let attempt = 0; attempt < 12; attempt += 1) {
    wire().drop();
    // oxlint-disable-next-line no-await-in-loop
    await vi.advanceTimersByTimeAsync(5_000);
    expect(Wire.all).toHaveLength(attempt + 2);
  }
  wire().drop();
  await vi.advanceTimersByTimeAsync(2_000);
  expect(Wire.all, "not sooner than half of it").toHaveLength(13);
  expect(states()).not.toContain("gateway.rejected");
});

test.each([
  ["does not know the key", new Unknown(), false],
  ["cannot prove itself", new Unproven(), true],
])("to a gateway that %s nothing is sent, and it is not asked again", async (_, failure, isForeign) => {
  await connect();
  page.failure = failure;
  wire().drop();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(Wire.all).toHaveLength(1);
  expect(messages.at(-1)).toMatchObject({ type: "gateway.rejected", isForeign });
});

test("a gateway that is away is tried again", async () => {
  await connect();
  page.failure = new TypeError();
  wire().drop();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(Wire.all).toHaveLength(1);
  page.failure = undefined;
  await vi.advanceTimersByTimeAsync(6_000);
  expect(Wire.all).toHaveLength(2);
  expect(states()).not.toContain("gateway.rejected");
});

test.each([{ type: "proved", proof: "wrong" }, { type: "hello.result" }, {}])(
  "a connection whose first message is %o is sent nothing",
  async (first) => {
    wire().open();
    wire().tell(first);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(wire().sent).toEqual([]);
    expect(Wire.all).toHaveLength(1);
    expect(states()).toContain("gateway.rejected");
  },
);

test("close code 1008 means that the key has ended", async () => {
  await connect();
  wire().drop(1008);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(Wire.all).toHaveLength(1);
  expect(states()).toContain("gateway.rejected");
});

test("one that lagged asks for the whole", async () => {
  await connect();
  wire().tell({ type: "gateway.state", state: "lagged" });
  expect(wire().sent.at(-1)).toMatchObject({ type: "events.subscribe" });
  expect(wire().sent.at(-1)).not.toHaveProperty("since");
  wire().answer("events.subscribe", snapshot);
  expect(states()).toEqual(["events.subscribe.result", "events.subscribe.result"]);
});
