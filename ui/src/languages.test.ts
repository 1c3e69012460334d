// Every language of the window and of the desktop says all that English says, with the same inputs and marks.
import { expect, test } from "vitest";
import settings from "../project.inlang/settings.json";

type Variants = { declarations: string[]; selectors?: string[]; match: Record<string, string> };
type Text = string | [Variants];

const files = import.meta.glob<Record<string, Text>>("../messages/*/*.json", {
  import: "default",
  eager: true,
});

function textsOf(language: string): Map<string, Text> {
  const own = Object.entries(files).filter(([path]) => path.split("/")[2] === language);
  return new Map(own.flatMap(([, texts]) => Object.entries(texts)));
}

const english = textsOf(settings.baseLocale);
const inputs = (text: string): string[] =>
  [...text.matchAll(/\{[^}]*\}/g)].map(([input]) => input).toSorted();
const variants = (text: Text): Record<string, string> =>
  typeof text === "string" ? { "": text } : text[0].match;
/** The forms of a number stand for one another. */
const unnumbered = (form: string): string => form.replace(/plural=(zero|one|two|few|many|other)/, "plural=N");

/** Complaints about a text in another language. */
function wrong(language: string, name: string, text: Text): string[] {
  const own = english.get(name) ?? "";
  if (typeof own === "string" || typeof text === "string") {
    return typeof own === typeof text && String(inputs(String(own))) === String(inputs(String(text)))
      ? []
      : [`${name}: its inputs and marks`];
  }
  const categories = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
  const match = text[0].match;
  const asked = Object.keys(own[0].match).flatMap((form) => {
    // Where English has one form for all numbers, another language may have more.
    const numbered = form in match ? form : form.replace("plural=*", "plural=other");
    const each = unnumbered(numbered);
    return each === numbered ? [form] : categories.map((one) => each.replace("=N", `=${one}`));
  });
  const same = Object.entries(match).filter(([form, words]) => {
    const all = ["=other", "=*"].map((number) => own[0].match[unnumbered(form).replace("=N", number)]);
    const model = own[0].match[form] ?? all[0] ?? all[1];
    return model === undefined || String(inputs(model)) !== String(inputs(words));
  });
  return [
    ...(String([...new Set(asked)].toSorted()) === String(Object.keys(match).toSorted())
      ? []
      : [`${name}: its forms`]),
    ...(String(text[0].declarations) === String(own[0].declarations) ? [] : [`${name}: its declarations`]),
    ...same.map(([form]) => `${name}, ${form}: its inputs and marks`),
  ];
}

const others = settings.locales.filter((language) => language !== settings.baseLocale);

test.each(others)("every text is there: %s", (language) => {
  expect([...textsOf(language).keys()].toSorted()).toEqual([...english.keys()].toSorted());
});

test.each(others)("each text has the inputs, marks and forms that it needs: %s", (language) => {
  expect([...textsOf(language)].flatMap(([name, text]) => wrong(language, name, text))).toEqual([]);
});

test.each(others)("it is written in its own script: %s", (language) => {
  const words = [...textsOf(language).values()].flatMap((text) => Object.values(variants(text))).join("");
  const script =
    { ja: /\p{Script=Hiragana}/gu, "zh-Hans": /\p{Script=Han}/gu }[language] ?? /\p{Script=Latin}/gu;
  expect(words.match(script)?.length ?? 0).toBeGreaterThan(words.length / 10);
});
