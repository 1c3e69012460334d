import { expect, test } from "vitest";
import type { AgentSetup, Registered } from "../protocol/types";
import { mainDeed, otherDeeds } from "../views/agent/deeds";
import { agent, progress } from "../testing/machine";
import { AT } from "../testing/samples";
import {
  changeWords,
  configuration,
  connectedWords,
  connectionWords,
  folderProblem,
  hooksWords,
  proofWords,
  sentence,
} from "./agents";
import { importWords, importedWords } from "./import";

test.each<[Partial<AgentSetup>, string, string | undefined]>([
  [{ server: "absent" }, "Not connected", "Connect"],
  [{ server: "absent", program: undefined as never }, "Not connected", undefined],
  [{ server: "ours", hooks: "ours", lastList: AT }, "Connected", "Test"],
  [{ server: "ours", hooks: "absent" }, "Connected, no list from it yet", "Test"],
  [{ server: "ours", hooks: "outdated", lastList: AT }, "Connected", "Connect again"],
  [{ server: "outdated" }, "Connection out of date", "Connect again"],
  [{ server: "disabled" }, "Connected, but turned off in the agent", "Connect again"],
  [{ server: "other" }, "Another server is named “sightline”", "Replace…"],
  [{ server: "unreadable" }, "Its configuration can’t be read", "Check again"],
])("%j is “%s”, and offers %s first", (more, words, label) => {
  const setup = agent("codex", more);
  expect(connectionWords(setup).words).toBe(words);
  expect(mainDeed(setup)?.label).toBe(label);
});

test("replacing is asked for as such", () => {
  expect(mainDeed(agent("codex", { server: "other" }))).toMatchObject({
    asked: { change: "connect", replace: true },
  });
});

const labels = (more: Partial<AgentSetup>): string[] =>
  otherDeeds(agent("codex", more)).flatMap((group) => group.map(({ label }) => label));

test("what else can be done depends on how it is connected", () => {
  const always = [
    "Add the line to a project’s AGENTS.md…",
    "Remove that line…",
    "Connect in one project only…",
    "Disconnect in one project…",
  ];
  expect(labels({ server: "absent" })).toEqual([
    "Connect without hooks",
    "Turn on its built-in list",
    ...always,
  ]);
  expect(labels({ server: "ours", hooks: "ours", ownList: "on" })).toEqual([
    "Test with a real call…",
    "Turn off its built-in list",
    ...always,
    "Disconnect",
  ]);
  expect(labels({ server: "ours", hooks: "absent", ownList: "none" })[0]).toBe("Connect its hooks, too");
  expect(labels({ server: "outdated", hooks: undefined as never, ownList: "none" })).toEqual([
    "Test",
    "Test with a real call…",
    ...always,
    "Disconnect",
  ]);
  expect(labels({ program: undefined as never, ownList: "none" })).toEqual([
    "Connect",
    "Connect without hooks",
    ...always,
  ]);
});

test("a change that was left half can be taken back: hooks without a server", () => {
  expect(labels({ server: "absent", hooks: "ours" })).toContain("Disconnect");
});

test.each<[Registered | undefined, Registered, string | undefined]>([
  [undefined, "ours", undefined],
  ["absent", "absent", undefined],
  ["absent", "ours", "no hooks"],
  ["disabled", "ours", "hooks turned off"],
])("hooks that are %s beside a server that is %s are “%s”", (hooks, server, words) => {
  expect(hooksWords(agent("codex", { server, hooks: hooks as never }))?.words).toBe(words);
});

test("a change is named by what it does, where and how", () => {
  const setup = agent("codex");
  expect(changeWords(setup, { change: "connect", folder: "/p" }).todo).toBe("Connect Codex in one project");
  expect(changeWords(setup, { change: "connect", noHooks: true }).todo).toBe("Connect Codex, without hooks");
  expect(changeWords(setup, { change: "uninstruct" }).done).toBe("The line is removed from AGENTS.md");
});

test("the connected are counted among those that are here", () => {
  const away = agent("x", { program: undefined as never, server: "ours" });
  expect(connectedWords([agent("a", { server: "ours" }), agent("b"), away])).toBe("1 of 2 connected");
  expect(connectedWords([away])).toBe("none found");
});

test.each([
  ["", "Which folder?"],
  ["~/project", "Enter the path in full, without ~: /home/you/project."],
  ["project", "Enter the path in full: /home/you/project."],
  ["/home/me/a b", undefined],
  ["C:\\work", undefined],
])("the folder “%s” is answered with %s", (folder, words) => {
  expect(folderProblem(folder)).toBe(words);
});

test("notes become sentences", () => {
  expect(sentence("restart it")).toBe("Restart it.");
  expect(sentence("config.toml was changed")).toBe("config.toml was changed.");
  expect(sentence("Is it on?")).toBe("Is it on?");
});

test("an import says how far it is, and what came of it", () => {
  expect(importWords(progress({ agent: "codex", read: 3, lists: 1 }))).toBe(
    "Codex, 3 of 12 transcripts, 1 new list",
  );
  expect(importedWords(progress({ done: true, read: 12, runs: 4, lists: 9 }))).toBe(
    "12 transcripts read: 4 runs with a list, 9 new lists.",
  );
  expect(importedWords(progress({ done: true, cancelled: true, read: 3 }))).toBe(
    "Stopped after 3 of 12 transcripts: 0 runs with a list, nothing new.",
  );
  expect(importedWords(progress({ done: true, total: 0 }))).toBe("There are no transcripts here.");
});

test.each<[Partial<AgentSetup>, string | undefined]>([
  [{}, undefined],
  [{ proof: "newer", version: "1.3.0" }, "newer than 1.2.3, the version tested"],
  [{ proof: "newer", program: undefined as never }, undefined],
  [{ proof: "untried", proven: undefined as never }, "not tested with the program itself"],
  [{ proof: "untried", program: undefined as never }, "not tested with the program itself"],
])("%j: what was seen of its program is %s", (more, words) => {
  expect(proofWords(agent("codex", more))).toBe(words);
});

test("an agent that is not known gets a configuration for each way", () => {
  const { stdio, http } = configuration(["/opt/sight line/sightline", "mcp"], "http://127.0.0.1:3271");
  expect(JSON.parse(stdio)).toEqual({
    mcpServers: { sightline: { command: "/opt/sight line/sightline", args: ["mcp"] } },
  });
  expect(JSON.parse(http ?? "")).toEqual({
    mcpServers: {
      sightline: {
        type: "http",
        url: "http://127.0.0.1:3271/mcp",
        headers: { Authorization: "Bearer KEY" },
      },
    },
  });
  expect(configuration([], undefined).http).toBeUndefined();
});
