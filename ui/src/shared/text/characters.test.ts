import { expect, test } from "vitest";
import cases from "./characters.cases.json";
import { kindOf, UNUSUAL } from "./characters";
import { exact, exactLines, plain } from "./plain";

/** Unicode's own properties; Rust's test has the general categories from elsewhere. */
const PROPERTIES: [RegExp, string | undefined][] = [
  [/^\p{Cc}$/u, "control"],
  [/^[\p{Zl}\p{Zp}]$/u, "line"],
  [/^[\u202D\u202E]$/u, "override"],
  [/^\p{Bidi_Control}$/u, "bidi"],
  [/^[\p{Join_Control}\u180E]$/u, "joiner"],
  [/^\p{Variation_Selector}$/u, "variation"],
  [/^[\u{E0020}-\u{E007F}]$/u, "tag"],
  [/^[\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB]$/u, "invisible"],
  [/^\p{Cf}$/u, "mark"],
  [/^ $/u, undefined],
  [/^[\p{Zs}\u2800]$/u, "space"],
  [/^[\p{Co}\p{Cs}\p{Noncharacter_Code_Point}]$/u, "private"],
];

function* characters(): Generator<string> {
  for (let code = 0; code <= 0x10ffff; code += 1) yield String.fromCodePoint(code);
}

test("every character has the kind that Unicode gives it", () => {
  const wrong: string[] = [];
  // Most characters have none of the properties, and are looked at once.
  const any = new RegExp(PROPERTIES.map(([{ source }]) => source).join("|"), "u");
  for (const character of characters()) {
    const kind = any.test(character)
      ? PROPERTIES.find(([property]) => property.test(character))?.[1]
      : undefined;
    if (kindOf(character) !== kind) wrong.push(`${exact(character)} ${kind} ${kindOf(character)}`);
  }
  expect(wrong).toEqual([]);
});

test("nothing of the table is left in a text that is approved", () => {
  let all = "";
  for (const character of characters()) all += character;
  expect(exact(all)).not.toMatch(UNUSUAL);
  expect(exactLines(all).replaceAll(/[\n\t]/g, "")).not.toMatch(UNUSUAL);
  expect(plain(all)).not.toMatch(/[\p{Bidi_Control}\p{Zl}\p{Zp}\u200B\u2060\uFEFF\u{E0020}-\u{E007F}]/u);
});

test.each(cases)("$name", ({ text, plain: read, exact: approved }) => {
  expect(plain(text)).toBe(read);
  expect(exact(text)).toBe(approved);
});

test("lines stay lines where they are shown as lines", () => {
  expect(exactLines("a\n\tb\rc\u2028d")).toBe("a\n\tb<U+000D>c<U+2028>d");
  expect(exact("a\nb")).toBe("a<U+000A>b");
});
