import { render } from "@testing-library/svelte";
import { expect, test, vi } from "vitest";
import Window from "./window/Window.svelte";
import { Desk } from "./testing/desk";
import type { NeedKind } from "./protocol/types";
import { agent } from "./testing/machine";
import { withBrowser } from "./testing/page";
import { AT, edit, item, session } from "./testing/samples";

// Every text of the catalogue in a language that nobody speaks: longer, and without one letter of English.
vi.hoisted(() => localStorage.setItem("locale", "en-XA"));

/** Where words stand that are nobody's language: commands, paths, dates, names of products. */
const OTHERS = "code, kbd, pre, time, option, svg, [lang], .who, .mark";
const READ = ["aria-label", "aria-valuetext", "title", "placeholder", "alt"];
/** Dates, which `Intl` names, and names that are the same in every language. */
const SAME =
  /https?:\S+|\d+ \p{Lu}\p{Ll}{2,3} \d{4}|Sightline|Codex|MCP|\b(?:anthropic|gemini|openai|sightline)\b|AGENTS\.md|\/usr\/bin\/\w+|\bCtrl\b|⌘\w|\b[A-Z]\b/gu;

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
function desk(): Desk {
  const words = { content: "一", activeForm: "二", notes: "三" };
  const todos = [
    item("a", "completed", words),
    item("b", "in_progress", { ...words, priority: "high", subtasks: [item("c", "pending", words)] }),
    item("d", "blocked", { ...words, reason: "四" }),
    item("e", "pending", { ...words, origin: "user" }),
  ];
  const theirs = { title: "五", project: "六", branch: "七", agent: { name: "八" } };
  const edits = [
    edit("e", { text: "一" }),
    edit(undefined, { kind: "delete", text: "九", state: "ignored" }),
    edit(undefined, { kind: "note", text: "十" }),
  ];
  const kinds: NeedKind[] = ["waiting", "blocked", "overridden", "ignored", "drift", "toolOff"];
  const needs = kinds.map((kind, index) => ({ id: `${index}`, kind, since: AT, text: "千" }));
  const made = new Desk([
    session("1", todos, { ...theirs, edits, needs }),
    session("2", [], { ...theirs, listState: "tool-off", drifts: true, callsSinceList: 23 }),
    session("3", todos, { ...theirs, state: "waiting", stateReason: "百" }),
    session("4", todos, { ...theirs, state: "finished", current: false }),
    session("5", todos, { ...theirs, agent: { name: "sightline" } }),
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

withBrowser();

test.each([
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
])(
  "on %s every word is of the catalogue",
  async (address, shown) => {
    location.hash = address;
    render(Window, { backend: desk() });
    await vi.waitFor(() => expect(document.querySelector(shown)).not.toBeNull(), 5_000);
    expect(english()).toEqual([]);
  },
  20_000,
);
