import { Marked, type Token, type Tokens } from "marked";
import { safeAddress, unescaped } from "../../../text/address";
import { RESULT, results, withoutHalf } from "./computed";

/**
 * Markdown as a tree that components can show.
 *
 * Nothing in it is markup: what was written as HTML is text, an image is its words and its address, and a link leads
 * only where `safeAddress` lets it.
 */
export type Inline =
  | { is: "text"; text: string }
  | { is: "code"; text: string }
  | { is: "strong"; parts: Inline[] }
  | { is: "em"; parts: Inline[] }
  | { is: "del"; parts: Inline[] }
  | { is: "link"; address: string; parts: Inline[]; words: string }
  /** An address that is not gone to: of an image, or of a link that leads to no web page. */
  | { is: "address"; address: string }
  /** The result of a computation; empty where it gave none. */
  | { is: "computed"; text: string }
  /** Why there is none. */
  | { is: "uncomputed"; text: string }
  | { is: "break" };

type ListItem = { checked: boolean | undefined; blocks: Block[] };
type Align = "left" | "center" | "right" | null;
export type Block =
  | { is: "paragraph"; parts: Inline[] }
  /** A paragraph without a distance to others. */
  | { is: "line"; parts: Inline[] }
  /** Its level in the text, from 1; none is left out. */
  | { is: "heading"; level: number; parts: Inline[] }
  | { is: "code"; text: string; language: string }
  | { is: "quote"; blocks: Block[] }
  | { is: "list"; start: number | undefined; items: ListItem[] }
  | { is: "table"; align: Align[]; header: Inline[][]; rows: Inline[][][] }
  | { is: "rule" }
  /** As it was written. */
  | { is: "plain"; text: string };

/** A longer text is shown as it was written: no person reads it, and no reader of Markdown is made for it. */
export const LONGEST = 100_000;
/** Deeper nesting is shown as it was written. */
const DEEPEST = 12;

const reader = new Marked({ gfm: true, extensions: [results] });

export function blocksOf(text: string): Block[] {
  return new Growing().blocks(text);
}

/** A text that grows at its end: what cannot change any more is read once, and is the very same object again. */
export class Growing {
  #text = "";
  #settled: Block[] = [];
  #levels: number[] = [];

  /** Of one that `isGoing` nothing is shown that may be half a result. */
  blocks(text: string, isGoing = false): Block[] {
    if (!text.startsWith(this.#text)) {
      this.#text = "";
      this.#settled = [];
      this.#levels = [];
    }
    const rest = text.slice(this.#text.length);
    if (rest.length > LONGEST) return [...this.#settled, { is: "plain", text: rest }];
    const tokens = read(rest);
    if (!tokens) return [...this.#settled, { is: "plain", text: rest }];
    // New text may belong to the last two: a list goes on behind an empty line.
    const open = tokens.findLastIndex(({ type }, at) => type !== "space" && at < tokens.length - 1);
    const settled = tokens.slice(0, Math.max(0, open));
    const length = settled.reduce((sum, { raw }) => sum + raw.length, 0);
    // A reader that changes what it reads (tabs, line ends) would be out of step.
    const isInStep = rest.startsWith(settled.map(({ raw }) => raw).join(""));
    if (isInStep) {
      this.#settled = [...this.#settled, ...this.#blocksIn(settled)];
      this.#text += rest.slice(0, length);
    }
    const left = isInStep ? tokens.slice(settled.length) : tokens;
    const shown = isGoing ? withoutHalf(left) : left;
    return [...this.#settled, ...toBlocks(shown, [...this.#levels], 0)];
  }

  #blocksIn(tokens: Token[]): Block[] {
    return toBlocks(tokens, this.#levels, 0);
  }
}

function read(text: string): Token[] | undefined {
  try {
    return reader.lexer(text);
  } catch {
    // Nested beyond what a stack holds.
    return undefined;
  }
}

/** `levels` are the headings that what follows stands under, as they were written. */
function toBlocks(tokens: Token[], levels: number[], depth: number): Block[] {
  return tokens.flatMap((token) => toBlock(token as Tokens.Generic & Token, levels, depth) ?? []);
}

function toBlock(token: Token, levels: number[], depth: number): Block | undefined {
  if (depth > DEEPEST) return { is: "plain", text: token.raw };
  switch (token.type) {
    case "space":
    case "def":
    case "checkbox":
      return undefined;
    case "paragraph":
      return { is: "paragraph", parts: toInlines(token.tokens, depth) };
    case "text":
      return { is: "line", parts: token.tokens ? toInlines(token.tokens, depth) : [textOf(token.raw)] };
    case "heading": {
      while (levels.length > 0 && (levels.at(-1) ?? 0) >= token.depth) levels.pop();
      levels.push(token.depth);
      return { is: "heading", level: levels.length, parts: toInlines(token.tokens, depth) };
    }
    case "code":
      return { is: "code", text: token.text, language: /^[\w+#.-]{1,24}/.exec(token.lang ?? "")?.[0] ?? "" };
    case "blockquote":
      return { is: "quote", blocks: toBlocks(token.tokens ?? [], levels, depth + 1) };
    case "list":
      return toList(token as Tokens.List, levels, depth);
    case "table":
      return toTable(token as Tokens.Table, depth);
    case "hr":
      return { is: "rule" };
    default:
      return { is: "plain", text: token.raw.trimEnd() };
  }
}

function toList(list: Tokens.List, levels: number[], depth: number): Block {
  const items = list.items.map((item) => ({
    checked: item.task ? (item.checked ?? false) : undefined,
    blocks: toBlocks(item.tokens, levels, depth + 1),
  }));
  return { is: "list", start: list.ordered ? Number(list.start) || 0 : undefined, items };
}

function toTable({ align, header, rows }: Tokens.Table, depth: number): Block {
  const cell = ({ tokens }: Tokens.TableCell): Inline[] => toInlines(tokens, depth);
  return { is: "table", align, header: header.map(cell), rows: rows.map((row) => row.map(cell)) };
}

function toInlines(tokens: Token[] | undefined, depth: number): Inline[] {
  return (tokens ?? []).flatMap((token) => toInline(token, depth + 1));
}

function toInline(token: Token, depth: number): Inline[] {
  if (depth > DEEPEST * 2) return [{ is: "text", text: token.raw }];
  switch (token.type) {
    case "checkbox":
      return [];
    case "br":
      return [{ is: "break" }];
    case "codespan":
      return [{ is: "code", text: token.text }];
    case "strong":
    case "em":
    case "del":
      return [{ is: token.type, parts: toInlines(token.tokens, depth) }];
    case "link":
      return toLink(token as Tokens.Link, depth);
    case "image":
      return toImage(token as Tokens.Image);
    case RESULT:
      return [toResult(unescaped(token.text).trim(), token.isError)];
    case "escape":
      return [{ is: "text", text: token.text }];
    case "text":
      return token.tokens ? toInlines(token.tokens, depth) : [textOf(token.raw)];
    default:
      return [{ is: "text", text: token.raw }];
  }
}

/** Why there is none is part of a sentence that goes on. */
function toResult(text: string, isError: boolean): Inline {
  return isError ? { is: "uncomputed", text: text.replace(/\.$/, "") } : { is: "computed", text };
}

function textOf(raw: string): Inline {
  return { is: "text", text: unescaped(raw) };
}

function toLink({ href, tokens, text, autolink }: Tokens.Link, depth: number): Inline[] {
  const written = autolink ? href : unescaped(href);
  const parts = toInlines(tokens, depth);
  const address = safeAddress(written);
  if (address === undefined) return [...parts, ...aside(written, text)];
  return [{ is: "link", address, parts, words: text }];
}

function toImage({ href, text }: Tokens.Image): Inline[] {
  return [{ is: "text", text: unescaped(text) }, ...aside(unescaped(href), text)];
}

function aside(address: string, words: string): Inline[] {
  return address === "" || address === words ? [] : [{ is: "address", address }];
}

/** The length of a text as people read it. */
export function lengthOf(parts: Inline[]): number {
  return parts.reduce((sum, part) => {
    if ("parts" in part) return sum + lengthOf(part.parts);
    if (part.is === "address") return sum + part.address.length;
    return sum + (part.is === "break" ? 1 : part.text.length);
  }, 0);
}
