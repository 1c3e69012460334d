import type { Token, TokenizerAndRendererExtension, Tokens } from "marked";

/**
 * Results of computations, as the gateway writes them into a model's answer: `<computed>13.5</computed>`, or
 * `<computed error="true">why</computed>`; what is in them is escaped and one line. In code they are code.
 */
export const RESULT = "computed";

const WHOLE = /^<computed( error="true")?>([^<]*)<\/computed>/;
const OPENINGS = ["<computed>", '<computed error="true">'];
/** Text that may stand behind an opening that is not closed yet. */
const OPEN_STILL = /^[^<]*(?:<(?:\/[a-z]*)?)?$/;

export const results: TokenizerAndRendererExtension = {
  name: RESULT,
  level: "inline",
  start: (text) => text.indexOf("<computed"),
  tokenizer(text) {
    const [raw, error, content] = WHOLE.exec(text) ?? [];
    if (raw === undefined) return undefined;
    return { type: RESULT, raw, text: content, isError: error !== undefined };
  },
};

/** The reading of a text that still grows, without an end that may become a result. */
export function withoutHalf(tokens: Token[]): Token[] {
  const begun = tokens.findLastIndex(({ type, raw }) => type === "html" && OPENINGS.includes(raw));
  const behind = tokens.slice(begun + 1).map(({ raw }) => raw);
  if (begun >= 0 && OPEN_STILL.test(behind.join(""))) return tokens.slice(0, begun);
  const last = tokens.at(-1);
  return last ? [...tokens.slice(0, -1), ended(last)] : tokens;
}

/** Only what is still open at the end of a text: emphasis and links are closed. */
function ended(token: Token): Token {
  switch (token.type) {
    case "list": {
      const { items } = token as Tokens.List;
      return { ...token, items: [...items.slice(0, -1), ...items.slice(-1).map(ended)] } as Token;
    }
    case "table":
      return endedTable(token as Tokens.Table);
    case "list_item":
    case "blockquote":
    case "paragraph":
    case "heading":
      return { ...token, tokens: withoutHalf(token.tokens ?? []) } as Token;
    case "text":
      if ("tokens" in token && token.tokens) return { ...token, tokens: withoutHalf(token.tokens) };
      return { ...token, raw: withoutOpening(token.raw) } as Token;
    default:
      return token;
  }
}

/** Cells that have not come yet are there, and empty. */
function endedTable(table: Tokens.Table): Token {
  const row = table.rows.at(-1);
  const at = row?.findLastIndex(({ text }) => text !== "") ?? -1;
  const cell = row?.[at];
  if (!row || !cell) return table;
  const ends = row.with(at, { ...cell, tokens: withoutHalf(cell.tokens) });
  return { ...table, rows: [...table.rows.slice(0, -1), ends] };
}

function withoutOpening(text: string): string {
  const at = text.lastIndexOf("<");
  const isHalf = at >= 0 && OPENINGS.some((opening) => opening.startsWith(text.slice(at)));
  return isHalf ? text.slice(0, at) : text;
}
