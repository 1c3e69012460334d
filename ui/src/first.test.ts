// Rules that the built page relies on, as most of its texts come after its first page.
import ts from "typescript";
import { expect, test } from "vitest";
import { shortNames, withShortNames } from "../messages/short-names.js";

const modules = import.meta.glob<string>(["./**/*.ts", "!./**/*.test.ts", "!./{testing,protocol}/**"], {
  query: "?raw",
  import: "default",
  eager: true,
});

/** The texts that a module asks for as soon as it is there, when they may be on their way. */
function textsAtOnce(source: string): string[] {
  const texts: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node)) return;
    if (ts.isPropertyAccessExpression(node) && node.expression.getText() === "m") texts.push(node.name.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile("module.ts", source, ts.ScriptTarget.Latest, true));
  return texts;
}

test("texts that a module asks for at once are found", () => {
  const source =
    "const a = [m.b, { c: m.d() }]; const e = () => m.f; function g() { m.h(); } class I { j() { m.k(); } }";
  expect(textsAtOnce(source)).toEqual(["b", "d"]);
});

test("no module asks for a text at once", () => {
  const eager = Object.entries(modules).map(([path, source]) => [path, textsAtOnce(source)] as const);
  expect(eager.filter(([, texts]) => texts.length > 0)).toEqual([]);
});

const names = shortNames("src/paraglide/messages/en.js");

test("each text has a short name of its own, and those of the gateway keep theirs", () => {
  const short = [...names.values()];
  expect(short.length).toBeGreaterThan(1_000);
  expect(new Set(short).size).toBe(short.length);
  expect(short.filter((name) => !/^[A-Za-z]{1,3}$/.test(name))).toEqual([]);
  expect([...names.keys()].filter((name) => name.startsWith("gateway_"))).toEqual([]);
});

test("a source file asks for texts by their short names", () => {
  const code = "m.now_heading(); m.gateway_left({ what }); form.now_heading; m.length;";
  const short = `m.${names.get("now_heading")}(); m.gateway_left({ what }); form.now_heading; m.length;`;
  expect(withShortNames(code, names)).toBe(short);
});
