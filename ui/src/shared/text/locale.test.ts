import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { customsOf, spoken } from "./locale";

const before = navigator.languages;

function speaks(...languages: string[]): void {
  Object.defineProperty(navigator, "languages", { value: languages, configurable: true });
}

beforeEach(() => vi.resetModules());
afterEach(() => {
  speaks(...before);
  localStorage.clear();
});

/** The apostrophe, and the space, differ between versions of the tables. */
function plainly(text: string): string {
  return text.replaceAll(/\s/g, " ").replaceAll("'", "’");
}

const AT = "2026-01-02T14:05:06";
const NOW = Date.parse("2026-01-02T15:00:00");

test.each([
  [["en-GB"], "14:05", "12,345", "45%"],
  [["en-US", "en"], "2:05 PM", "12,345", "45%"],
  [["de-DE", "de", "en-US"], "14:05", "12.345", "45 %"],
  [["C", "de-CH"], "14:05", "12’345", "45%"],
])("somebody with %j reads %s, %s and %s", async (languages, time, count, percent) => {
  speaks(...languages);
  const { clockTime } = await import("./time");
  const numbers = await import("./numbers");
  expect(plainly(clockTime(AT, NOW))).toBe(time);
  expect(plainly(numbers.number(12_345))).toBe(count);
  expect(plainly(numbers.percent(0.459))).toBe(percent);
});

test("another day is named in the language of the texts", async () => {
  speaks("de-DE");
  const { clockTime, exactTime } = await import("./time");
  expect(clockTime("2026-01-01T09:05:00", NOW)).toBe("1. Jan., 09:05");
  expect(exactTime("2026-01-01T09:05:00")).toBe("01.01.2026, 09:05:00");
});

test("customs are those of where the user is", () => {
  expect(customsOf("en", ["de"])).toBe("en-DE");
  expect(customsOf("en", ["en-AU", "en-US"])).toBe("en-AU");
  expect(customsOf("en", [])).toBe("en");
  expect(customsOf("en", ["C.UTF-8"])).toBe("en");
});

test.each([
  [["C", "fr-FR", "en-AU", "de"], "en"],
  [["de-CH", "en"], "de"],
  [["zh-CN"], "zh-Hans"],
  [["zh-TW", "ja"], "ja"],
  [["fr", "C.UTF-8"], undefined],
  [[], undefined],
])("of %j the first that has texts is %s", (languages, tag) => {
  expect(spoken(languages)).toBe(tag);
});

test.each([
  ["de-AT", undefined, "Rückgängig"],
  ["en-GB", "zh-Hans", "撤销"],
  ["ja-JP", "no language", "元に戻す"],
  ["es-MX", "en", "Undo"],
])("with %s, and “%s” kept, the texts are in one language", async (language, kept, undo) => {
  speaks(language);
  if (kept !== undefined) localStorage.setItem("locale", kept);
  const { m } = await import("../../paraglide/messages");
  expect(m.common_undo()).toBe(undo);
  expect(m.history_count({ count: 1 })).not.toContain("undefined");
});

test.each([
  ["en-XA", "ltr"],
  ["ar-XB", "rtl"],
])("an invented language for tests is marked: %s", async (language, direction) => {
  localStorage.setItem("locale", language);
  const { markLanguage } = await import("./locale");
  const root = document.createElement("html");
  markLanguage(root);
  expect([root.lang, root.dir]).toEqual([language, direction]);
  const { m } = await import("../../paraglide/messages");
  expect(m.common_copied()).toBe({ "en-XA": "[Çööþîîééð]", "ar-XB": "גמןטהד" }[language]);
  expect(m.common_locked_paste.parts()[1]).toMatchObject({ type: "markup-start", name: "code" });
});

test.each([
  ["fr-CA", undefined],
  ["en-GB", "no language"],
])("with %s and “%s” kept it is English, and the document says so", async (language, kept) => {
  speaks(language);
  if (kept !== undefined) localStorage.setItem("locale", kept);
  const { markLanguage } = await import("./locale");
  const root = document.createElement("html");
  markLanguage(root);
  expect([root.lang, root.dir]).toEqual(["en", "ltr"]);
  expect(localStorage.getItem("locale"), "what nobody chose is not kept").toBe(kept ?? null);
});

test("closed storage is no reason to show nothing", async () => {
  vi.spyOn(Storage.prototype, "getItem").mockImplementation(() => {
    throw new Error("closed");
  });
  const { markLanguage } = await import("./locale");
  const root = document.createElement("html");
  markLanguage(root);
  expect(root.lang).toBe("en");
});
