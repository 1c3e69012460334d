/** The words of a command, as a shell reads them: quotes hold words together, a backslash takes what follows as it is. */
export function splitCommand(line: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote = "";
  for (let at = 0; at < line.length; at += 1) {
    const sign = line.charAt(at);
    if (quote !== "" && sign === quote) quote = "";
    else if (quote === "" && (sign === '"' || sign === "'")) {
      quote = sign;
      word ??= "";
    } else if (sign === "\\" && quote !== "'" && isEscapable(line.charAt(at + 1), quote)) {
      at += 1;
      word = (word ?? "") + line.charAt(at);
    } else if (quote === "" && /\s/.test(sign)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? "") + sign;
  }
  return word === undefined ? words : [...words, word];
}

/** A Windows path keeps its backslashes. */
function isEscapable(sign: string, quote: string): boolean {
  return quote === '"' ? sign === '"' || sign === "\\" : sign !== "" && /[\s"'\\]/.test(sign);
}

/** The line that gives these words. */
export function joinCommand(words: readonly string[]): string {
  return words
    .map((word) => (word === "" || /[\s"'\\]/.test(word) ? `"${word.replaceAll(/["\\]/g, "\\$&")}"` : word))
    .join(" ");
}

/** `NAME=value`, one a line; the first line that is none is given back as a problem. */
export function readPairs(text: string, sign: "=" | ":"): Record<string, string> | string {
  const pairs: Record<string, string> = {};
  for (const line of text.split("\n")) {
    if (line.trim() === "") continue;
    const at = line.indexOf(sign);
    const name = line.slice(0, Math.max(0, at)).trim();
    if (name === "" || /\s/.test(name)) return line.trim();
    pairs[name] = line.slice(at + 1).trim();
  }
  return pairs;
}

export function writePairs(pairs: Record<string, string>, sign: "=" | ":"): string {
  const between = sign === ":" ? ": " : sign;
  return Object.entries(pairs)
    .map(([name, value]) => name + between + value)
    .join("\n");
}
