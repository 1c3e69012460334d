import { describe, expect, test } from "vitest";
import { isMisleading, safeAddress, unescaped } from "../../../text/address";
import { blocksOf, Growing, LONGEST, type Block, type Inline } from "./markdown";

/** Everything in a tree, flat. */
function all(blocks: Block[]): (Block | Inline)[] {
  const found: (Block | Inline)[] = [];
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    if ("is" in value) found.push(value as Block);
    for (const each of Object.values(value)) visit(each);
  };
  visit(blocks);
  return found;
}

const links = (text: string): string[] =>
  all(blocksOf(text)).flatMap((node) => (node.is === "link" ? node.address : []));
const words = (text: string): string =>
  all(blocksOf(text))
    .map((node) => ("text" in node ? node.text : node.is === "address" ? `(${node.address})` : ""))
    .join("");

describe("safety", () => {
  test.each([
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](java&#115;cript:alert(1))",
    "[x](javascript&colon;alert(1))",
    "[x](\tjavascript:alert(1))",
    "[x](data:text/html,<b>)",
    "[x](vbscript:x)",
    "[x](file:///etc/passwd)",
    "[x](blob:https://a.b/c)",
    "[x](/session/1)",
    "[x](#/settings)",
    "[x](//evil.example)",
    "[x][y]\n\n[y]: javascript:alert(1)",
  ])("%s is no link", (text) => {
    expect(links(text)).toEqual([]);
    expect(words(text)).toContain("x");
  });

  test("an address in angles that is a script is no link either", () => {
    expect(links("<javascript:alert(1)>")).toEqual([]);
    expect(words("<javascript:alert(1)>")).toBe("javascript:alert(1)");
  });

  test("links lead to web pages and mail only, and are told whole", () => {
    const text = "[a](https://a.example/b?c=d&amp;e=f) <http://b.example> mail@c.example www.d.example";
    expect(links(text)).toEqual([
      "https://a.example/b?c=d&e=f",
      "http://b.example/",
      "mailto:mail@c.example",
      "http://www.d.example/",
    ]);
  });

  test.each([
    "<script>alert(1)</script>",
    'a <img src=x onerror="alert(1)"> b',
    "<details open ontoggle=alert(1)>",
    "<svg/onload=alert(1)>",
    "<!-- a comment -->",
    "<style>* { display: none }</style>\n\ntext",
  ])("%s is text as it was written", (text) => {
    expect(words(text)).toContain(text.split("\n")[0]);
  });

  test("an image is its words and its address", () => {
    expect(words("![a cat](https://evil.example/pixel.png?id=1)")).toBe(
      "a cat(https://evil.example/pixel.png?id=1)",
    );
    expect(all(blocksOf("![x](https://a.example)")).map(({ is }) => is)).toEqual([
      "paragraph",
      "text",
      "address",
    ]);
    expect(words("[![x](https://a.example/i.png)](javascript:1)")).toContain("x(https://a.example/i.png)");
  });

  test("words that look like another address are told from it", () => {
    expect(isMisleading("https://good.example", "https://evil.example/")).toBe(true);
    expect(isMisleading("good.example/a", "https://evil.example/good.example")).toBe(true);
    expect(isMisleading("good.example", "https://www.good.example/a")).toBe(false);
    expect(isMisleading("the page", "https://evil.example/")).toBe(false);
  });

  test("character references are characters", () => {
    expect(words("a &lt;b&gt; &amp;amp; &#39;c&#x27; &nope; &#0;")).toBe("a <b> &amp; 'c' &nope; \uFFFD");
    expect(unescaped("&constructor;")).toBe("&constructor;");
    expect(safeAddress("not an address")).toBeUndefined();
  });

  test.each([
    ["nested quotes", ">".repeat(20_000)],
    ["spaced quotes", "> ".repeat(5_000)],
    ["nested lists", Array.from({ length: 300 }, (_, at) => `${" ".repeat(at * 2)}- a`).join("\n")],
    ["brackets", "[".repeat(20_000)],
    ["open links", "[a](".repeat(5_000)],
    ["stars", "*a ".repeat(10_000)],
    ["mixed emphasis", "*_".repeat(5_000)],
    ["backticks", "`".repeat(20_000) + "a"],
    ["angles", "<".repeat(20_000)],
    ["one word", "a".repeat(90_000)],
    ["a table", `|a|\n|-|\n${"|b|\n".repeat(5_000)}`],
    ["pipes", "|".repeat(10_000)],
  ])("%s are read before the test is over, or shown as they are", (_, text) => {
    expect(all(blocksOf(text)).length).toBeGreaterThan(0);
  });

  test("a giant text is shown as it was written", () => {
    const text = "# a\n".repeat(LONGEST);
    expect(blocksOf(text)).toEqual([{ is: "plain", text }]);
  });
});

describe("what is written", () => {
  test("headings leave no level out", () => {
    const levels = all(blocksOf("## a\n\n#### b\n\n#### c\n\n### d\n\n# e")).flatMap((node) =>
      node.is === "heading" ? node.level : [],
    );
    expect(levels).toEqual([1, 2, 2, 2, 1]);
  });

  test("lists have their numbers and their ticks", () => {
    expect(blocksOf("3. a\n4. b")).toMatchObject([{ is: "list", start: 3 }]);
    expect(blocksOf("- [x] a\n- [ ] b\n- c")).toMatchObject([
      {
        items: [
          { checked: true, blocks: [{ parts: [{ text: "a" }] }] },
          { checked: false, blocks: [{ parts: [{ text: "b" }] }] },
          { checked: undefined },
        ],
      },
    ]);
  });

  test("a table has its columns, a code block its language", () => {
    expect(blocksOf("|a|b|\n|:-|-:|\n|1|2|")).toMatchObject([{ is: "table", align: ["left", "right"] }]);
    expect(blocksOf("```rust,ignore\nfn a() {}\n```")).toEqual([
      { is: "code", text: "fn a() {}", language: "rust" },
    ]);
  });
});

/** True if something of a result's tag is shown, in blocks as JSON. */
const hasTag = (blocks: string): boolean =>
  /<|computed|error|true"/.test(blocks.replaceAll(/"is":"\w+"/g, ""));
const results = (text: string) =>
  all(blocksOf(text)).filter(({ is }) => is === "computed" || is === "uncomputed");

describe("the result of a computation", () => {
  test.each([
    ["<computed>42.5</computed>", "42.5"],
    ["It is <computed>42.5</computed>, or so.", "42.5"],
    ["# <computed>42.5</computed>", "42.5"],
    ["- **<computed>42.5</computed>**", "42.5"],
    ["|a|b|\n|-|-|\n|x|<computed>42.5</computed>|", "42.5"],
    ["<computed></computed>", ""],
    ["<computed>1 &lt; 2 &amp;amp;&#10;3</computed>", "1 < 2 &amp;\n3"],
    ["<computed>*a* `b` [c](https://d.example)</computed>", "*a* `b` [c](https://d.example)"],
  ])("%s is its value", (text, value) => {
    expect(results(text)).toEqual([{ is: "computed", text: value }]);
    expect(words(text)).not.toContain("computed");
  });

  test("that there is none is told with its reason", () => {
    const text = 'So <computed error="true">It exports no &lt;b&gt;.</computed>!';
    expect(results(text)).toEqual([{ is: "uncomputed", text: "It exports no <b>" }]);
  });

  test.each([
    "`<computed>42.5</computed>`",
    "```xml\n<computed>42.5</computed>\n```",
    "    <computed>42.5</computed>",
    "\\<computed>42.5</computed>",
    "<computed onclick=alert(1)>42.5</computed>",
    "<computed>42.5",
    "<computed><b>42.5</b></computed>",
  ])("%s is none", (text) => {
    expect(results(text)).toEqual([]);
    expect(words(text)).toContain("computed");
  });
});

describe("a text that grows", () => {
  const TEXT =
    "# A\n\nSome *words* here.\n\n- one\n\n- two\n\n  more of two\n\n```js\nlet a = 1;\n\n# no heading\n```\n\n" +
    "| a | b |\n|---|---|\n| 1 | 2 |\n\nSetext\n===\n\n> quote\n\n1. x\n2. y\n\n\tcode by a tab\n\nThe end.";

  test("it is at last what it is at once, wherever it was cut", () => {
    const growing = new Growing();
    for (let length = 0; length <= TEXT.length; length += 1) growing.blocks(TEXT.slice(0, length));
    expect(growing.blocks(TEXT)).toEqual(blocksOf(TEXT));
  });

  test.each([
    "It is <computed>42.5</computed>, and so on.",
    'So <computed error="true">The *function* stopped: 1 / 0.</computed>!',
    "<computed>42.5</computed> is it",
    "- one\n- <computed>42.5</computed>",
    "> <computed>42.5</computed>",
    "|a|b|\n|-|-|\n|<computed>42.5</computed>|x|",
    "A\n\n<computed>1</computed>\n\n<computed>2</computed>",
  ])("%j shows nothing of a tag while it comes", (text) => {
    const growing = new Growing();
    const shown = Array.from(text, (_, at) => JSON.stringify(growing.blocks(text.slice(0, at), true)));
    expect(shown.filter(hasTag)).toEqual([]);
    expect(growing.blocks(text, true)).toEqual(blocksOf(text));
  });

  test.each([
    ["code", "```xml\n<computed>42", "<computed>42"],
    ["what was in code before", "`<computed>` is a tag, and 1 <", "<computed> is a tag, and 1 "],
    ["another tag", "a <b", "a <b"],
    ["what is over", "a <\n\n", "a <"],
  ])("%s is shown as it comes", (_, text, shown) => {
    const found = all(new Growing().blocks(text, true));
    expect(found.map((node) => ("text" in node ? node.text : "")).join("")).toBe(shown);
  });

  test("what is settled is the very same again", () => {
    const growing = new Growing();
    const before = growing.blocks("# A\n\nB\n\nC\n\nD");
    const after = growing.blocks("# A\n\nB\n\nC\n\nD and more");
    expect(after[0]).toBe(before[0]);
    expect(after[1]).toBe(before[1]);
    expect(after).toHaveLength(4);
  });

  test("another text begins anew", () => {
    const growing = new Growing();
    growing.blocks("# A\n\nB\n\nC\n\nD");
    expect(growing.blocks("E")).toMatchObject([{ is: "paragraph", parts: [{ text: "E" }] }]);
  });
});
