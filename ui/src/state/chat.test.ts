import { beforeEach, describe, expect, test, vi } from "vitest";
import { Failure } from "../backend/backend";
import type { ChatMessage } from "../protocol/types";
import { approval, builtIn, checklist } from "../testing/chat";
import { Desk } from "../testing/desk";
import { AT } from "../testing/samples";
import { withMessage, withPiece } from "./chat-messages";
import type { Conversation } from "./chat.svelte";
import { isBuiltIn } from "./built-in";
import { Chats } from "./chats.svelte";
import { Gateway } from "./gateway.svelte";

let desk: Desk;
let chats: Chats;
let one: Conversation;

const said = (): string[] =>
  one.messages.map((message) => ("content" in message ? message.content : message.kind));
const gets = (): number => desk.calls.filter(({ type }) => type === "chat.get").length;
/** The answer has come, and is painted. */
const settled = () => new Promise((resolve) => setTimeout(resolve, 40));

async function open(): Promise<void> {
  const gateway = new Gateway(desk);
  chats = new Chats(gateway);
  chats.open();
  one = chats.of("s");
  one.watch();
  gateway.open();
  await settled();
}

beforeEach(async () => {
  desk = new Desk([builtIn("s")]);
  desk.chat.open("s");
  desk.chat.say("s", { kind: "user", content: "Do it" });
  await open();
});

test("what was said is asked for with the connection, and with each later one", async () => {
  expect(said()).toEqual(["Do it"]);
  expect(one.isThere).toBe(true);
  const before = one.messages[0];
  const asked = gets();
  desk.chat.chats.set("s", {
    ...desk.chat.open("s"),
    messages: [before as ChatMessage, { seq: 2, at: AT, kind: "assistant", content: "Meanwhile" }],
  });
  desk.snapshot();
  await settled();
  expect(gets()).toBeGreaterThan(asked);
  expect(said()).toEqual(["Do it", "Meanwhile"]);
  expect(one.messages[0], "the very same").toBe(before);
});

test("an answer streams, and is kept in its place", async () => {
  desk.chat.begin("s");
  desk.chat.stream("s", "Let me ");
  desk.chat.stream("s", "see");
  desk.chat.stream("s", "hm", "reasoning");
  expect(one.streamed, "before the next frame").toBe("");
  await settled();
  expect([one.streamed, one.thought]).toEqual(["Let me see", "hm"]);
  desk.chat.say("s", { kind: "assistant", content: "Let me see" });
  expect([one.streamed, one.thought]).toEqual(["", ""]);
  expect(said()).toEqual(["Do it", "Let me see"]);
  expect(one.run?.doing).toBe("Planning");
});

test("who comes late sees what was said and thought until then", async () => {
  desk.chat.open("t");
  desk.chat.begin("t");
  desk.chat.stream("t", "Well, ", "reasoning");
  desk.chat.stream("t", "Let me ");
  const late = chats.of("t");
  late.watch();
  await settled();
  expect([late.streamed, late.thought]).toEqual(["Let me ", "Well, "]);
  desk.chat.stream("t", "see");
  desk.chat.stream("t", "then", "reasoning");
  await settled();
  expect([late.streamed, late.thought]).toEqual(["Let me see", "Well, then"]);
});

test("a message that is told twice, late or out of order stands once, in its place", () => {
  const call = { kind: "tool", toolCallId: "c", toolName: "t", args: {} } as const;
  const going: ChatMessage = { seq: 3, at: AT, ...call };
  const done: ChatMessage = { ...going, result: "ok" };
  const messages = [5, 2, 3].map((seq): ChatMessage => ({ seq, at: AT, kind: "notice", message: `${seq}` }));
  const all = messages.reduce(withMessage, [] as ChatMessage[]);
  expect(all.map(({ seq }) => seq)).toEqual([2, 3, 5]);
  const answered = withMessage(withMessage([], going), done);
  expect(answered).toEqual([done]);
  expect(withMessage(answered, going), "late").toBe(answered);
  desk.chat.say("s", { kind: "notice", message: "a" });
  const last = one.messages.at(-1) as ChatMessage;
  desk.tell({ type: "chat.updated", sessionId: "s", message: last, canResume: false });
  expect(one.messages).toHaveLength(2);
});

test("words of a run that nobody knows are not shown; it is asked, once", async () => {
  const asked = gets();
  const news = {
    type: "chat.stream.delta",
    sessionId: "s",
    requestId: "other",
    delta: "x",
    offset: 0,
  } as const;
  desk.tell(news);
  desk.tell(news);
  await settled();
  expect(one.streamed).toBe("");
  expect(gets()).toBe(asked + 1);
});

test.each([
  ["in UTF-16 code units", 6, "d", "😀 abcd"],
  ["half of it is there", 5, "cd", "😀 abcd"],
  ["all of it is there", 3, "ab", "😀 abc"],
  ["something before it is missing", 7, "e", undefined],
])("a piece has its place: %s", (_, offset, delta, grown) => {
  expect(withPiece("😀 abc", { offset, delta })).toBe(grown);
});

test("what streams while the gateway is asked is neither lost nor doubled", async () => {
  desk.chat.begin("s");
  desk.chat.stream("s", "ha");
  await settled();
  desk.chat.held = [];
  const asked = one.ask();
  desk.chat.stream("s", "ha");
  desk.chat.stream("s", "ha", "reasoning");
  for (const go of desk.chat.held) go();
  desk.chat.held = undefined;
  await asked;
  await settled();
  expect([one.streamed, one.thought]).toEqual(["haha", "ha"]);
});

test("where a piece is missing, it is asked for", async () => {
  desk.chat.begin("s");
  desk.chat.stream("s", "One ");
  await settled();
  const run = desk.chat.chats.get("s")?.run;
  desk.chat.open("s", { ...(run && { run: { ...run, content: "One two " } }) });
  const asked = gets();
  desk.chat.stream("s", "three");
  await settled();
  expect(one.streamed).toBe("One two three");
  expect(gets()).toBe(asked + 1);
});

test("of a conversation that nobody looks at nothing is kept up; it is asked when somebody does", async () => {
  desk.chat.open("t");
  const other = chats.of("t");
  desk.chat.say("t", { kind: "user", content: "Hello" });
  expect(other.messages).toEqual([]);
  const end = other.watch();
  await settled();
  expect(other.messages).toHaveLength(1);
  end();
});

test("its end says whether a run can be resumed; then it is", async () => {
  desk.chat.begin("s");
  const asked = gets();
  desk.chat.end("s", { kind: "end", outcome: "interrupted", message: "" }, true);
  expect([one.run, one.canResume]).toEqual([undefined, true]);
  expect(gets(), "nothing is left to be asked").toBe(asked);
  await one.resume();
  expect(one.run?.requestId).toBe("run-2");
  expect(one.canResume).toBe(false);
});

test("a run is stopped, and says so until it is", async () => {
  desk.chat.begin("s");
  const stopped = one.stop();
  expect(one.stopping).toBe(true);
  await stopped;
  expect([one.stopping, one.run]).toEqual([false, undefined]);
  expect(one.canResume).toBe(true);
});

describe("what waits for the user", () => {
  test("is there, and is gone when it is answered elsewhere", async () => {
    desk.chat.begin("s");
    desk.chat.wait("s", { approval: approval("s") });
    expect(one.run?.approval?.toolName).toBe("files__write");
    await desk.call("tool.approval.response", { toolCallId: "call-1", approved: true });
    expect(one.run?.approval).toBeUndefined();
    expect(one.run?.doing).toBe("Working");
  });

  test("is answered, for once or for the session", async () => {
    desk.chat.begin("s");
    desk.chat.wait("s", { approval: approval("s") });
    await one.approve(true, true);
    const answer = desk.calls.find(({ type }) => type === "tool.approval.response");
    expect(answer?.fields).toEqual({ toolCallId: "call-1", approved: true, sessionApprove: true });
    expect(one.run?.approval).toBeUndefined();
  });

  test("is asked for anew where the answer comes too late", async () => {
    desk.chat.begin("s");
    desk.chat.wait("s", { preflight: checklist("s") });
    desk.chat.refusals["preflight.approval"] = new Failure("NO_PENDING_PREFLIGHT", "nothing waits");
    const asked = gets();
    await one.begin(true);
    expect(gets()).toBeGreaterThan(asked);
    expect(one.answering).toBe(false);
  });
});

describe("sending", () => {
  test("the model that was chosen goes along, once", async () => {
    one.chosen = "openai:gpt-5";
    one.draft = "  Next  ";
    await one.send();
    const sent = desk.calls.find(({ type }) => type === "chat.send");
    expect(sent?.fields).toEqual({ sessionId: "s", content: "Next", model: "openai:gpt-5" });
    expect([one.draft, one.sending, one.chosen]).toEqual(["", undefined, undefined]);
    expect(one.model).toBe("openai:gpt-5");
    expect(said()).toEqual(["Do it", "Next"]);
    expect(one.run?.requestId).toBe("run-1");
  });

  test("what is refused goes back into the field, before what was typed meanwhile", async () => {
    desk.chat.refusals["chat.send"] = new Failure("STREAM_IN_PROGRESS", "a run goes on");
    one.draft = "Next";
    const sent = one.send();
    one.draft = "and more";
    await sent;
    expect(one.draft).toBe("Next\n\nand more");
    expect(one.failure?.code).toBe("STREAM_IN_PROGRESS");
    expect(one.sending).toBeUndefined();
  });

  test("nothing is sent twice, nor while a run goes on", async () => {
    one.draft = " ";
    await one.send();
    desk.chat.begin("s");
    one.draft = "Next";
    await one.send();
    expect(desk.calls.some(({ type }) => type === "chat.send")).toBe(false);
    expect(one.draft).toBe("Next");
  });
});

test("older messages are asked for, and stay when the newest are asked for anew", async () => {
  desk.chat.open("s", {
    messages: Array.from({ length: 450 }, (_, at): ChatMessage => ({
      seq: at + 1,
      at: AT,
      kind: "notice",
      message: `${at}`,
    })),
  });
  await one.ask();
  expect([one.messages.length, one.messages[0]?.seq, one.more]).toEqual([200, 251, true]);
  await one.older();
  expect([one.messages.length, one.messages[0]?.seq, one.more]).toEqual([400, 51, true]);
  await one.ask();
  expect([one.messages.length, one.more]).toEqual([400, true]);
  await one.older();
  expect([one.messages.length, one.messages[0]?.seq, one.more]).toEqual([450, 1, false]);
});

test("a conversation that there is not says why", async () => {
  const none = chats.of("none");
  none.watch();
  await vi.waitFor(() => expect(none.missing).toContain("There is no session none"));
  expect(none.isThere).toBe(false);
});

test("a session is the built-in agent's by its name", () => {
  expect(isBuiltIn(builtIn("s"))).toBe(true);
  expect(isBuiltIn({ ...builtIn("s"), agent: { name: "codex" } })).toBe(false);
});
