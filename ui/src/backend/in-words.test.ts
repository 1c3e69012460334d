import { beforeEach, expect, test, vi } from "vitest";
import type { Commanded, TextRef } from "../protocol/types";

beforeEach(() => {
  vi.resetModules();
  localStorage.clear();
});

const message = 'there is no session "abc"; session.list (or `sightline todo list`) names those there are';
const NAMED = {
  code: "SESSION_NOT_FOUND",
  message,
  text: { name: "session_unknown", params: { name: "abc" } },
};

test.each([
  ["en", message],
  ["de", "Sitzung „abc“ gibt es nicht; `sightline todo list` zeigt die vorhandenen"],
  ["ja", "セッション「abc」はありません。`sightline todo list` で一覧を表示します"],
])("in %s an error says: %s", async (language, words) => {
  localStorage.setItem("locale", language);
  const { toFailure } = await import("./backend");
  expect(toFailure(NAMED)).toMatchObject({ code: "SESSION_NOT_FOUND", message: words });
});

test("a word of ours in an error is in the language of the page, anybody else's as it came", async () => {
  localStorage.setItem("locale", "de");
  const { toFailure } = await import("./backend");
  const text = { name: "key_beyond", params: { name: "edit", rights: "edit,look" } };
  const { message: said } = toFailure({ code: "UNAUTHORIZED", message: "it may edit", text });
  expect(said).toMatch(/^„edit“ .*: bearbeiten, ansehen;/);
});

test.each([
  ["SESSION_NOT_FOUND", "Diese Sitzung gibt es nicht."],
  ["INVALID_SETTING", "said in English"],
])("a text that is not known is told by its code, or as it came: %s", async (code, words) => {
  localStorage.setItem("locale", "de");
  const { toFailure } = await import("./backend");
  const unknown = { code, message: "said in English", text: { name: "of_a_later_version" } };
  expect(toFailure(unknown).message).toBe(words);
  expect(toFailure({ code, message: "said in English" }).message).toBe(words);
});

test("the outcome of a typed edit is in the language of the page, and what an undo left is not lost", async () => {
  localStorage.setItem("locale", "de");
  const { outcomeInWords } = await import("./in-words");
  const edited = { text: { name: "set_status", params: { position: "2", status: "blocked", content: "x" } } };
  const given = (more: object) => ({ output: "Set", edited: { ...edited, ...more } }) as unknown as Commanded;
  expect(outcomeInWords(given({}))).toBe("Schritt 2 ist jetzt blockiert: „x“");
  const [gone] = [{ name: "left_gone", params: { content: "a" } }];
  expect(outcomeInWords(given({ remarks: ['"a" is gone'], remarkTexts: [gone] }))).toBe(
    "Schritt 2 ist jetzt blockiert: „x“\nNicht geändert: „a“ ist nicht mehr da",
  );
});

test("the answer to a typed question is worded part by part, or stays as it came", async () => {
  localStorage.setItem("locale", "de");
  const { outcomeInWords } = await import("./in-words");
  const parts = [{ name: "shown_title" }, "\n1. [", { name: "shown_in_progress" }, "] Fix {x}"];
  const english = "Current TODO List:\n1. [IN_PROGRESS] Fix {x}";
  expect(outcomeInWords({ output: english, parts })).toBe("Aktuelle Liste:\n1. [IN ARBEIT] Fix {x}");
  expect(outcomeInWords({ output: english, parts: [...parts, { name: "of_a_later_version" }] })).toBe(
    english,
  );
  expect(outcomeInWords({ output: "No active TODOs" })).toBe("No active TODOs");
});

test("the meaning of a completion is in the language of the page, a step's own text as it is", async () => {
  localStorage.setItem("locale", "ja");
  const { completionsInWords } = await import("./in-words");
  const choices = [
    { line: "/todo add ", label: "add", detail: "Add a step", detailText: { name: "help_add" } },
    { line: "/todo delete 1", label: "1", detail: "Fix the parser" },
  ];
  const worded = completionsInWords({ choices }).choices.map(({ detail }) => detail);
  expect(worded).toEqual(["ステップを追加", "Fix the parser"]);
});

test("a text within a text is in the same language, to a depth", async () => {
  localStorage.setItem("locale", "de");
  const { allInWords, inWords } = await import("./in-words");
  const inner = { name: "place_hangs" };
  const params = { folder: "/srv", problem: "it does not answer" };
  const text = { name: "folder_silent", params, texts: { problem: inner } };
  expect(inWords("", text)).toBe("/srv lässt sich nicht lesen: er antwortet nicht. Später erneut versuchen");
  let deep: TextRef = { name: "and_besides", params: { problem: "x", more: "y" } };
  for (let depth = 0; depth < 60; depth += 1) {
    deep = { name: "and_besides", params: { problem: "x", more: "y" }, texts: { problem: deep, more: deep } };
  }
  expect(inWords("", deep).length).toBeLessThan(1_000);
  expect(allInWords(["it", "said"], [inner])).toEqual(["er antwortet nicht", "said"]);
});
