import { readFileSync } from "node:fs";

const EXPORTED = /^export const (\w+)/gm;
const TEXT = /\bm\.(\w+)/g;
const LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/**
 * Short names of the texts, the same in every language: a page has each of them once for the text and once for every use,
 * which is a tenth of its script. Those of the gateway keep theirs, by which it sends them.
 *
 * @param {string} file the compiled texts of a language
 * @returns {Map<string, string>}
 */
export function shortNames(file) {
  const names = [...readFileSync(file, "utf8").matchAll(EXPORTED)].map(([, name]) => name ?? "");
  return new Map(names.filter((name) => !name.startsWith("gateway_")).map((name, at) => [name, short(at)]));
}

/** @param {number} at */
function short(at) {
  const length = LETTERS.length;
  const rest = Math.floor(at / length);
  /** @type {string} */
  const before = rest === 0 ? "" : short(rest - 1);
  return before + LETTERS[at % length];
}

/**
 * A source file that asks for texts by their short names.
 *
 * @param {string} code
 * @param {Map<string, string>} names
 */
export function withShortNames(code, names) {
  return code.replaceAll(TEXT, (whole, name) => (names.has(name) ? `m.${names.get(name)}` : whole));
}
