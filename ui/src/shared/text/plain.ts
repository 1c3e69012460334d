import { kindOf, UNUSUAL } from "./characters";

const PICTURES = 0x2400;
const DELETE = 0x7f;
const DELETE_PICTURE = "\u2421";
const REPLACEMENT = "\uFFFD";

/** The first letter of the scripts that need joiners; those before it do not. */
const JOINED = "\u0590";

/** The name of a region after a black flag. */
const FLAG_NAME = /^[\u{E0030}-\u{E0039}\u{E0061}-\u{E007A}]{1,6}\u{E007F}/u;
const FLAG = "\u{1F3F4}";

// Letters, tabs and line breaks need no second look.
const IS_UNUSUAL = new RegExp(`(?![\\n\\t])${UNUSUAL.source}`, "u");

/**
 * Text as it is shown to be read: control characters become visible signs, and all that could turn or hide what is
 * around it is left out. Joiners, variations and flags stay where emoji and scripts need them.
 */
export function plain(text: string): string {
  const lines = text.replaceAll("\r\n", "\n");
  if (!IS_UNUSUAL.test(lines)) return lines;
  const all = [...lines];
  const shown: string[] = [];
  for (let at = 0; at < all.length; at += 1) {
    const character = all[at] ?? "";
    const sign = signOf(character, shown.at(-1), all[at + 1]);
    if (sign !== "") shown.push(sign);
    if (character === FLAG) {
      const name = [...(FLAG_NAME.exec(all.slice(at + 1, at + 8).join(""))?.[0] ?? "")];
      shown.push(...name);
      at += name.length;
    }
  }
  return shown.join("");
}

function signOf(character: string, before: string | undefined, after: string | undefined): string {
  switch (kindOf(character)) {
    case "control":
      return character === "\n" || character === "\t" ? character : pictureOf(character);
    case "line":
    case "override":
      return REPLACEMENT;
    case "joiner":
      return isJoined(before) && after !== undefined && after >= JOINED && isLetter(after) ? character : "";
    case "variation":
      return isLetter(before) ? character : "";
    case "bidi":
    case "tag":
    case "invisible":
      return "";
    default:
      return character;
  }
}

function pictureOf(control: string): string {
  const code = control.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(PICTURES + code);
  return code === DELETE ? DELETE_PICTURE : REPLACEMENT;
}

function isJoined(before: string | undefined): boolean {
  return before !== undefined && before >= JOINED && (isLetter(before) || kindOf(before) === "variation");
}

function isLetter(character: string | undefined): boolean {
  return character !== undefined && !/^\s/.test(character) && kindOf(character) === undefined;
}

/** Text as it is shown to be approved: each character of the table by its number, as in `<U+202E>`. */
export function exact(text: string): string {
  return text.replace(UNUSUAL, codeOf);
}

/** The same with its lines and tabs. */
export function exactLines(text: string): string {
  return text.replace(UNUSUAL, (character) =>
    character === "\n" || character === "\t" ? character : codeOf(character),
  );
}

/** For where no element can be around a text, as in a `title`: its letters turn nothing beside them. */
export function isolated(text: string): string {
  return `\u2068${text}\u2069`;
}

function codeOf(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  return `<U+${code}>`;
}

/** Its beginning, for where it is only named. */
export function brief(text: string, length = 60): string {
  const line = plain(text).replaceAll(/\s+/g, " ").trim();
  // Nothing has more letters than code units.
  if (line.length <= length) return line;
  const letters = [...new Intl.Segmenter(undefined, { granularity: "grapheme" }).segment(line)];
  if (letters.length <= length) return line;
  return `${letters
    .slice(0, length - 1)
    .map(({ segment }) => segment)
    .join("")
    .trimEnd()}…`;
}
