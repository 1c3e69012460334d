/**
 * JSON as its text, which is shown and never read into numbers: `12345678901234567890` is another number once it was
 * read.
 */

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]:,]|[^\s{}[\]:,"]+/gsu;

/** A value with more characters has a line for each of its parts. */
const ONE_LINE = 60;

export type JsonField = { name: string | undefined; text: string };

/** The fields of an object, each with its value as text; one without a name for anything else, none for nothing. */
export function jsonFields(json: string): JsonField[] {
  const tokens = json.match(TOKEN) ?? [];
  if (tokens[0] !== "{") {
    const text = valueOf(tokens);
    return text === "" || text === "null" ? [] : [{ name: undefined, text }];
  }
  const fields: JsonField[] = [];
  let begun = 1;
  let depth = 0;
  for (const [at, token] of tokens.entries()) {
    if (depth === 1 && (token === "," || token === "}")) {
      const [name, , ...value] = tokens.slice(begun, at);
      if (name !== undefined) fields.push({ name: JSON.parse(name) as string, text: valueOf(value) });
      begun = at + 1;
    }
    if (token === "{" || token === "[") depth += 1;
    else if (token === "}" || token === "]") depth -= 1;
  }
  return fields;
}

/** A text with its lines; everything else as JSON. */
function valueOf(tokens: string[]): string {
  const [first = ""] = tokens;
  if (tokens.length === 1 && first.startsWith('"')) return JSON.parse(first) as string;
  const line = tokens.join("");
  return line.length > ONE_LINE ? inLines(tokens) : line;
}

/** As `JSON.stringify` lays it out. */
function inLines(tokens: string[]): string {
  let text = "";
  let depth = 0;
  const line = (): string => `\n${"  ".repeat(depth)}`;
  for (const [at, token] of tokens.entries()) {
    const isEmpty = token === "{" ? tokens[at + 1] === "}" : token === "[" && tokens[at + 1] === "]";
    if (token === "{" || token === "[") {
      depth += 1;
      text += isEmpty ? token : token + line();
    } else if (token === "}" || token === "]") {
      depth -= 1;
      const before = tokens[at - 1];
      text += before === "{" || before === "[" ? token : line() + token;
    } else if (token === ",") text += token + line();
    else text += token === ":" ? ": " : token;
  }
  return text;
}
