/** Schemes that a link of somebody else's may have. */
const SCHEMES: ReadonlySet<string> = new Set(["http:", "https:", "mailto:"]);

/** The whole address, where one may go there; nothing for scripts, files, and what is no address at all. */
export function safeAddress(written: string): string | undefined {
  try {
    const url = new URL(written);
    return SCHEMES.has(url.protocol) ? url.href : undefined;
  } catch {
    return undefined;
  }
}

/** True if words look like an address, and are not that one: they would lead elsewhere than they say. */
export function isMisleading(words: string, address: string): boolean {
  const said = /^(?:https?:\/\/)?((?:[\w-]+\.)+[a-z]{2,})(?:[/:?#]|$)/i.exec(words.trim())?.[1];
  if (said === undefined) return false;
  const host = new URL(address).hostname.replace(/^www\./, "");
  return said.replace(/^www\./, "").toLowerCase() !== host;
}

/** The names that people and models write; there are two thousand more. */
const NAMED: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00A0",
  copy: "©",
  reg: "®",
  trade: "™",
  hellip: "…",
  mdash: "—",
  ndash: "–",
  lsquo: "‘",
  rsquo: "’",
  ldquo: "“",
  rdquo: "”",
  laquo: "«",
  raquo: "»",
  bull: "•",
  middot: "·",
  times: "×",
  deg: "°",
  plusmn: "±",
  le: "≤",
  ge: "≥",
  ne: "≠",
  larr: "←",
  rarr: "→",
  uarr: "↑",
  darr: "↓",
};

/** Text with its character references resolved; those that are not known stay as they were written. */
export function unescaped(text: string): string {
  if (!text.includes("&")) return text;
  return text.replaceAll(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{2,8}));/gi, (all, decimal, hex, name) => {
    if (name !== undefined) return Object.hasOwn(NAMED, name) ? (NAMED[name] ?? all) : all;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    const isCharacter = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
    return isCharacter ? String.fromCodePoint(code) : "\uFFFD";
  });
}
