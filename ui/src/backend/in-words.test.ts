import { beforeEach, expect, test, vi } from "vitest";
import type { Commanded } from "../protocol/types";

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
  expect(outcomeInWords(given({ remarks: ["gone"] }))).toBe("Set");
  expect(outcomeInWords({ output: "No active TODOs" })).toBe("No active TODOs");
});
