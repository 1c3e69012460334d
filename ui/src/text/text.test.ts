import { expect, test } from "vitest";
import type { Session } from "../protocol/types";
import { AT, edit, session } from "../testing/samples";
import { brief, plain } from "../shared/text/plain";
import { age, duration } from "../shared/text/time";
import { readTyped } from "../state/rows";
import { actorWords, madeWords } from "./actors";
import { initialsOf } from "./agent-marks";
import { editWords, emptyWords, hearingWords, removalWords } from "./words";

const NOW = Date.parse(AT);
const at = (seconds: number): string => new Date(NOW - seconds * 1_000).toISOString();

test.each([
  [40, "40 s"],
  [134, "2 min"],
  [3_900, "1 h 5 min"],
  [7_200, "2 h"],
  [90_000, "1 day"],
  [-5, "0 s"],
])("%d seconds are %s", (seconds, words) => {
  expect(duration(seconds * 1_000)).toBe(words);
});

test.each([
  [12, "just now"],
  [150, "2 min ago"],
  [9_000, "2 h ago"],
])("%d seconds ago is %s", (seconds, words) => {
  expect(age(at(seconds), NOW)).toBe(words);
});

test("control characters and forced directions are shown, not obeyed", () => {
  expect(plain("a\u0007b\u001b[31m\u0000\u007f")).toBe("a\u2407b\u241b[31m\u2400\u2421");
  expect(plain("safe \u202Egnp.exe")).toBe("safe \uFFFDgnp.exe");
  expect(plain("مرحبا\n\t<b>")).toBe("مرحبا\n\t<b>");
});

test("a name is cut between letters as people see them", () => {
  expect(brief("👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦", 2)).toBe("👩‍👩‍👧‍👦…");
  expect(brief(" a\n b ")).toBe("a b");
});

test.each([
  ["2.1 Check the odd ones", { position: "2.1", content: "Check the odd ones" }],
  ["12.last  Then this", { position: "12.last", content: "Then this" }],
  ["2 eggs", { content: "2 eggs" }],
  ["2. eggs", { content: "2. eggs" }],
  ["last but not least", { content: "last but not least" }],
  ["2.1", { content: "2.1" }],
  ["v2.1 is out", { content: "v2.1 is out" }],
])("“%s” is understood", (text, typed) => {
  expect(readTyped(text)).toEqual(typed);
});

const heard = session("s", [], { lastActivityAt: at(360) });

function saidOf(more: Parameters<typeof edit>[1], by = heard): string | undefined {
  return editWords(edit("a", more), by, NOW)?.words;
}

test.each([
  [{}, "on its next call · last call 6 min ago"],
  [{ connected: false }, "on its next call · last call 6 min ago"],
  [{ state: "stale" as const }, "on its next call · last call 6 min ago"],
  [{ listState: "never-called" as const }, "on its first call · connected 6 min ago"],
  [
    { connected: false, current: false, state: "stale" as const, lastActivityAt: at(9_000) },
    "when it comes back · last seen 2 h ago",
  ],
  [{ connected: false, state: "finished" as const }, "if the session resumes · last seen 6 min ago"],
  [{ connected: false, state: "failed" as const }, "if the session resumes · last seen 6 min ago"],
  [
    { agent: { name: "sightline" }, listState: "never-called" as const, state: "failed" as const },
    "when it goes on",
  ],
  [{ agent: { name: "sightline" }, state: "idle" as const }, "when it goes on"],
  [{ agent: { name: "sightline" }, state: "running" as const }, "with its next step"],
  [{ agent: { name: "sightline" }, state: "waiting" as const }, "with its next step"],
])("an agent that is %j hears %s", (more, words) => {
  expect(hearingWords({ ...heard, ...more }, NOW)).toBe(words);
});

test("who did something, and by which way", () => {
  expect(actorWords({ kind: "agent", name: "codex", transport: "mcp" })).toBe("codex over MCP");
  expect(actorWords({ kind: "subagent", name: "explore", transport: "hook" })).toBe(
    "explore (subagent) through a hook",
  );
  expect(actorWords({ kind: "user", name: "you", transport: "window" })).toBe("you in the window");
  expect(actorWords({ kind: "agent", name: "a\u0007", transport: "cli" })).toBe("a\u2407 in a terminal");
  const revision = {
    revision: 2,
    at: AT,
    actor: { kind: "user", name: "you", transport: "page" } as const,
    cause: "todo.edit",
    added: ["a"],
    changed: ["b"],
    removed: ["c"],
  };
  expect(["a", "b", "c"].map((uid) => madeWords(revision, uid))).toEqual([
    "Added by you in the browser",
    "Changed by you in the browser",
    "Removed by you in the browser",
  ]);
});

test("an edit says how far it has come", () => {
  expect(saidOf({ state: "queued" })).toBe("pending · next call");
  expect(saidOf({ state: "queued" }, { ...heard, state: "finished" })).toBe("pending · if it resumes");
  expect(saidOf({ state: "delivered", deliveredAt: AT })).toMatch(/^delivered \d\d:\d\d$/);
  expect(saidOf({ state: "reflected" })).toBe("applied");
  expect(saidOf({ state: "overridden" })).toBe("overridden");
  expect(saidOf({ state: "overridden", kind: "delete" })).toBe("changed back by the agent");
});

function removed(uid: string, state: "queued" | "reflected") {
  return edit(uid, { kind: "delete", state });
}

test("removals are told until they are settled", () => {
  expect(removalWords([removed("a", "queued"), removed("b", "queued")], heard, NOW)).toEqual([
    { words: "2 steps removed, delivered on its next call · last call 6 min ago" },
  ]);
  expect(removalWords([removed("a", "reflected")], heard, NOW)).toEqual([]);
  const ignored = edit("a", { kind: "delete", state: "ignored", text: "Fix it" });
  expect(removalWords([ignored], heard, NOW)).toEqual([
    { words: "“Fix it” removed, but the agent still lists it", against: ignored },
  ]);
});

test("an empty list says why it is empty", () => {
  const cleared = [edit(undefined, { kind: "clear" })];
  const gone = { ...heard, connected: false, current: false };
  expect(emptyWords(heard, cleared)).toEqual({
    title: "You cleared this list",
    more: "Delivered on its next call.",
  });
  expect(emptyWords(gone, cleared).more).toBe("Delivered when it comes back.");
  const of = (listState: Session["listState"]) => emptyWords({ ...heard, listState }, []);
  expect(of("never-called").title).toBe("Connected, no list yet");
  const builtIn = { ...heard, agent: { name: "sightline" }, listState: "never-called" as const, revision: 0 };
  expect(emptyWords(builtIn, []).title).toBe("No list yet");
  expect(of("tool-off")).toMatchObject({ title: "No list: its todo tool is off", isMendable: true });
  expect(of("known-empty")).toMatchObject({ title: "The list is empty" });
  expect(of("unknown")).toEqual({ title: "No list yet" });
});

test.each([
  ["billing-api", "ba"],
  ["sightline", "si"],
  ["2026 review", "2r"],
  ["検索", "検索"],
  ["–", ""],
])("a name has two letters: %s", (name, letters) => {
  expect(initialsOf(name)).toBe(letters);
});
