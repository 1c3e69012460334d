import { parse, type AST } from "svelte/compiler";
import ts from "typescript";
import { expect, test } from "vitest";
import settings from "../project.inlang/settings.json";

/** Words that are the same in every language. */
const NAMES = new Set(["sightline open", "Claude Code", "Gemini CLI", "Qwen Code", "Bearer KEY"]);
/** Attributes whose words people read or hear; those of components as well. */
const READ = /^(aria-(label|description|roledescription|valuetext|placeholder)|title|placeholder|alt)$/;
const GIVEN = /^(label|name|text|hint)$/;
const WORDS = /\p{L}/u;
const PATH = /^\/\S*$/;

const components = import.meta.glob<string>("./**/*.svelte", {
  query: "?raw",
  import: "default",
  eager: true,
});
const modules = import.meta.glob<string>(["./**/*.ts", "!./**/*.test.ts", "!./{testing,protocol}/**"], {
  query: "?raw",
  import: "default",
  eager: true,
});
const files = import.meta.glob<Record<string, unknown>>("../messages/*/*.json", {
  import: "default",
  eager: true,
});
const written = import.meta.glob<string>("../messages/*/*.json", {
  query: "?raw",
  import: "default",
  eager: true,
});

type Node = { type: string; start?: number } & Record<string, unknown>;

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as Node).type === "string";

function childrenOf(node: Node): Node[] {
  return Object.values(node).flat().filter(isNode);
}

/** The words that an expression may give; what it compares and what it calls with are none. */
function wordsIn(node: Node): string[] {
  if (node.type === "Literal") return typeof node.value === "string" ? [node.value] : [];
  if (node.type === "TemplateElement") return [(node.value as { cooked: string }).cooked];
  if (node.type === "Text") return [node.data as string];
  if (node.type === "BinaryExpression" || node.type === "CallExpression") return [];
  if (node.type === "ConditionalExpression") return wordsOf([node.consequent, node.alternate] as Node[]);
  return wordsOf(childrenOf(node));
}

function wordsOf(nodes: Node[]): string[] {
  return nodes
    .flatMap(wordsIn)
    .filter((words) => WORDS.test(words) && !NAMES.has(words.trim()) && !PATH.test(words));
}

/** Words that a component has of its own, in its markup. */
function ownWords(node: Node): string[] {
  switch (node.type) {
    case "Text":
    case "ExpressionTag":
      return wordsOf([node]);
    case "StyleSheet":
    case "Comment":
    case "Attribute":
      return [];
    default: {
      const { attributes = [], ...others } = node as Node & { attributes?: AST.Attribute[] };
      const read = attributes.filter(
        ({ type, name }) =>
          type === "Attribute" && (READ.test(name) || (node.type === "Component" && GIVEN.test(name))),
      );
      return [
        ...wordsOf((read as unknown as Node[]).flatMap(childrenOf)),
        ...childrenOf(others as Node).flatMap(ownWords),
      ];
    }
  }
}

const found = (source: string): string[] =>
  ownWords(parse(source, { modern: true }).fragment as unknown as Node);

test("words in components are found", () => {
  const source = `<p title="A b" class="c">{d ? "E" : f("g")} {h === "i"} 1 · {m.j()}</p><K label={\`L \${m}\`} n="o" />`;
  expect(found(source)).toEqual(["A b", "E", "L "]);
});

test.each(Object.keys(components))("%s has no words of its own", (path) => {
  expect(found(components[path] ?? "")).toEqual([]);
});

/** Three words, or two that begin as a sentence does, or something that ends as one. */
const PHRASE = /\p{L}{2,} \p{L}+ \p{L}|^[\p{Lu}“$].*\p{L}{2,} \p{L}|\p{L}[.…]$/u;
/** Functions that look for an element are given words of another kind. */
const SEEKS = /^(querySelector(All)?|closest|matches)$/;

/** The phrases that a module has of its own. */
function ownPhrases(source: string): string[] {
  const phrases: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) return;
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      if (SEEKS.test(node.expression.name.text)) return;
    }
    const isText = ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);
    const text = isText ? node.getText().slice(1, -1) : "";
    if (PHRASE.test(text) && !NAMES.has(text)) phrases.push(text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile("module.ts", source, ts.ScriptTarget.Latest, true));
  return phrases;
}

const scripts = (source: string): string =>
  [...source.matchAll(/<script[^>]*>(.*?)<\/script>/gs)].map(([, script]) => script).join("\n");

test("phrases in modules are found", () => {
  const source =
    'import "a b"; f("Not here"); const c = `${d} is gone`; e.closest("li a"); g("in_progress", "Wait…");';
  expect(ownPhrases(source)).toEqual(["Not here", "${d} is gone", "Wait…"]);
});

test("no module has phrases of its own", () => {
  const own = [
    ...Object.entries(modules).map(([path, source]) => [path, ownPhrases(source)] as const),
    ...Object.entries(components).map(([path, source]) => [path, ownPhrases(scripts(source))] as const),
  ];
  expect(own.filter(([, phrases]) => phrases.length > 0)).toEqual([]);
});

const catalogue = Object.entries(files).map(([path, messages]) => {
  const [language = "", area = ""] = path.split("/").slice(2);
  return { language, area: area.replace(".json", ""), keys: Object.keys(messages) };
});
/** The areas that `crates/catalogue` and the shell of `offline` read, and the window does not. */
const NATIVE = new Set(["desktop", "terminal", "offline"]);
const english = catalogue.filter(
  ({ language, area }) => language === settings.baseLocale && !NATIVE.has(area),
);
const keys = english.flatMap((area) => area.keys);

test("a text is called by its area and what it says", () => {
  const strays = english.flatMap((area) =>
    area.keys.filter((key) => !new RegExp(`^${area.area}(_[a-z0-9]+)+$`).test(key)),
  );
  expect(strays).toEqual([]);
});

test("every text is used", () => {
  const sources = [...Object.values(components), ...Object.values(modules)];
  const used = new Set(
    sources.flatMap((source) => [...source.matchAll(/\bm\.(\w+)/g)].map(([, key]) => key)),
  );
  // Those of the gateway are used by the names that it sends.
  expect(keys.filter((key) => !used.has(key) && !key.startsWith("gateway_"))).toEqual([]);
});

test("every file and every language is compiled", () => {
  const { pathPattern } = settings["plugin.inlang.messageFormat"];
  const areas = pathPattern.map((path) => path.replace("./messages/{locale}/", "").replace(".json", ""));
  expect(english.map(({ area }) => area).toSorted()).toEqual(areas.toSorted());
  const languages = new Set(catalogue.map(({ language }) => language));
  expect([...languages].toSorted()).toEqual(settings.locales.toSorted());
});

test("another language has no texts that English lacks", () => {
  const others = catalogue.filter(
    ({ language, area }) => language !== settings.baseLocale && !NATIVE.has(area),
  );
  expect(others.flatMap((area) => area.keys.filter((key) => !keys.includes(key)))).toEqual([]);
});

test("no file has a text twice", () => {
  // Where a name stands twice the later one is read.
  const twice = Object.entries(written).flatMap(([path, json]) => {
    const names = [...json.matchAll(/^ {2}"(\w+)":/gm)].map(([, name]) => `${path} ${name}`);
    return names.filter((name, at) => names.indexOf(name) !== at);
  });
  expect(twice).toEqual([]);
});

test.each(settings.locales)("a status is one word in window, menus and terminal: %s", (language) => {
  type Texts = Record<string, string>;
  const textsOf = (area: string): Texts => files[`../messages/${language}/${area}.json`] as Texts;
  const { common_status: status } = files[`../messages/${language}/common.json`] as Record<
    "common_status",
    [{ match: Texts }]
  >;
  const wordOf = (name: string): string => status[0].match[`status=${name}`] ?? "";
  const marks = Object.entries(textsOf("desktop")).filter(([name]) => name.startsWith("desktop_mark_"));
  expect(marks.length).toBeGreaterThan(5);
  for (const [name, words] of marks)
    expect([name, words.toLowerCase()]).toEqual([
      name,
      wordOf(name.replace("desktop_mark_", "")).toLowerCase(),
    ]);
  const word = wordOf("pending");
  // The English terminal has the word of the protocol; elsewhere "pending" is only said of edits.
  if (language === settings.baseLocale) return;
  const {
    gateway_status_pending: one,
    gateway_shown_pending: shown,
    gateway_help_unset: help,
  } = textsOf("gateway");
  expect([one, shown?.toLowerCase()]).toEqual([word, word]);
  expect(help).toContain(word);
});
