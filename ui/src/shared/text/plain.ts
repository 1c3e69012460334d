const PICTURES = 0x2400;
const DELETE = 0x7f;
const DELETE_PICTURE = "\u2421";
const REPLACEMENT = "\uFFFD";

// Everything but tab and newline; then the controls of Latin-1; then the two that force a direction on what follows.
// oxlint-disable-next-line no-control-regex
const CONTROLS = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202D\u202E\u2028\u2029]/g;

/** Text as it may be shown: control characters become visible signs, so that they can do nothing. */
export function plain(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(CONTROLS, (control) => {
    const code = control.charCodeAt(0);
    if (code < 0x20) return String.fromCharCode(PICTURES + code);
    return code === DELETE ? DELETE_PICTURE : REPLACEMENT;
  });
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
