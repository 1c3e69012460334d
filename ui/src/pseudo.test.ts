import { render } from "@testing-library/svelte";
import { beforeEach, expect, test, vi } from "vitest";
import Window from "./window/Window.svelte";
import { Desk } from "./testing/desk";
import type { NeedKind } from "./protocol/types";
import { agent } from "./testing/machine";
import { Measured } from "./testing/measured";
import { withBrowser } from "./testing/page";
import { AT, edit, item, session } from "./testing/samples";

// Every text of the catalogue in a language that nobody speaks: longer, and without one letter of English.
vi.hoisted(() => localStorage.setItem("locale", "en-XA"));

/** Where words stand that are nobody's language: commands, paths, dates, names of products. */
const OTHERS = "code, kbd, pre, time, option, svg, [lang], .who, .mark";
const READ = ["aria-label", "aria-valuetext", "title", "placeholder", "alt"];
/** Dates, which `Intl` names, and names that are the same in every language. */
const SAME =
  /https?:\S+|\d+ \p{Lu}\p{Ll}{2,3} \d{4}|\p{Lu}\p{Ll}+ \d+ \p{Lu}\p{Ll}+|Sightline|Codex|MCP|\b(?:anthropic|gemini|openai|sightline)\b|AGENTS\.md|\/usr\/bin\/\w+|\bCtrl\b|⌘\w|\b[A-Z]\b/gu;

function english(): string[] {
  const left: string[] = [];
  const note = (words: string | null): void => {
    if (words !== null && /[a-z]/i.test(words.replaceAll(SAME, ""))) left.push(words.trim());
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    if (!walker.currentNode.parentElement?.closest(OTHERS)) note(walker.currentNode.textContent);
  }
  for (const element of document.body.querySelectorAll("*")) {
    if (!element.closest("svg")) for (const name of READ) note(element.getAttribute(name));
  }
  return [...new Set(left)];
}

/** Text of agents has no letter of English either. */
const WORDS = { content: "一", activeForm: "二", notes: "三" };
const THEIRS = { title: "五", project: "六", branch: "七", agent: { name: "八" } };

function desk(): Desk {
  const todos = [
    item("a", "completed", WORDS),
    item("b", "in_progress", { ...WORDS, priority: "high", subtasks: [item("c", "pending", WORDS)] }),
    item("d", "blocked", { ...WORDS, reason: "四" }),
    item("e", "pending", { ...WORDS, origin: "user" }),
  ];
  const edits = [
    edit("e", { text: "一" }),
    edit(undefined, { kind: "delete", text: "九", state: "ignored" }),
    edit(undefined, { kind: "note", text: "十" }),
  ];
  const kinds: NeedKind[] = ["waiting", "blocked", "overridden", "ignored", "drift", "toolOff"];
  const needs = kinds.map((kind, index) => ({ id: `${index}`, kind, since: AT, text: "千" }));
  const made = new Desk([
    session("1", todos, { ...THEIRS, edits, needs }),
    session("2", [], { ...THEIRS, listState: "tool-off", drifts: true, callsSinceList: 23 }),
    session("3", todos, { ...THEIRS, state: "waiting", stateReason: "百" }),
    session("4", todos, { ...THEIRS, state: "finished", current: false }),
    session("5", todos, { ...THEIRS, agent: { name: "sightline" } }),
  ]);
  made.chat.open("5", { model: "" });
  made.chat.say("5", { kind: "user", content: "一" });
  made.chat.say("5", { kind: "assistant", content: "二\n\n- [ ] 三", reasoning: "四" });
  made.chat.say("5", { kind: "tool", toolCallId: "1", toolName: "五", args: {}, result: "" });
  made.chat.end("5", { kind: "end", outcome: "interrupted", message: "六" }, true);
  made.keys = made.keys.map((key) => ({ ...key, name: "七" }));
  made.machines.hosts = made.machines.hosts.map((host, at) => ({
    ...host,
    name: `${at}百`,
    ...(host.problem !== undefined && { problem: "千" }),
  }));
  made.log = made.log.map((entry) => ({ ...entry, ...(entry.who && { who: "八" }), subject: "九" }));
  made.machine.agents = [
    agent("codex", { version: "1", server: "ours", hooks: "outdated" }),
    agent("codex", { agent: "two", program: undefined as never, server: "unreadable" }),
  ];
  return made;
}

/** A list in the archive, the work of an hour, and a list as it was before. */
function deskWithPast(): Desk {
  const made = desk();
  const { todos: _, edits: __, ...past } = session("0", [], { ...THEIRS, state: "finished", current: false });
  made.archive.sessions = [{ ...past, tags: ["六"] }];
  const work = { lists: 1, finished: 2, skipped: 3, reopened: 4, workedMs: 5, estimated: 6 };
  made.archive.hours = [{ at: new Date().toISOString(), agent: "八", ...work, estimatedMs: 7, actualMs: 8 }];
  const actor = { kind: "agent", name: "八", transport: "mcp" } as const;
  const [a, f] = [item("a", "completed", WORDS), item("f", "pending", WORDS)];
  for (const todos of [[a, f], [a]]) made.write("1", todos, undefined, actor);
  return made;
}

/** A desk before there is anything to see. */
function deskBefore(): Desk {
  const made = new Desk([]);
  made.machine.agents = desk().machine.agents;
  return made;
}

withBrowser();
beforeEach(() => {
  vi.stubGlobal("ResizeObserver", Measured);
});

const PAGES: [address: string, shown: string, made?: () => Desk][] = [
  ["#/", "[data-revision]"],
  ["#/session/1", "[data-revision] li"],
  ["#/session/2", "[data-revision] h2"],
  ["#/needs", ".needs li"],
  ["#/agents", "[data-agent]"],
  // The log comes after the rest.
  ["#/settings", "#access-log-list li"],
  ["#/chat", "main textarea"],
  ["#/session/5", ".talk"],
  ["#/compact", ".strip li"],
  ["#/history", "[data-line]", deskWithPast],
  ["#/history/insight", ".insight tbody td", deskWithPast],
  ["#/session/1?at=2", "[data-past] [data-uid]", deskWithPast],
  ["#/", "main ol", deskBefore],
];

test.each(PAGES)(
  "on %s every word is of the catalogue",
  async (address, shown, made = desk) => {
    location.hash = address;
    render(Window, { backend: made() });
    await vi.waitFor(() => expect(document.querySelector(shown)).not.toBeNull(), 5_000);
    expect(english()).toEqual([]);
  },
  20_000,
);
