import { m } from "../../paraglide/messages";

/**
 * Keys that are struck together, as `Mod+Shift+C`, or one after the other, as `g n`; `Mod` is ⌘ on a Mac and Ctrl
 * elsewhere.
 */
export type Chord = string;

type Stroke = { key: string; mod: boolean; shift: boolean; alt: boolean };

export const isApple: boolean = /Mac|iPhone|iPad/.test(navigator.platform);

const SIGNS: Record<string, string> = {
  ArrowUp: "↑",
  ArrowDown: "↓",
  ArrowLeft: "←",
  ArrowRight: "→",
  Comma: ",",
  Plus: "+",
  Minus: "−",
};

/** The strokes of a chord, in their order. */
export function strokesOf(chord: Chord): string[] {
  return chord.split(" ");
}

function read(stroke: string): Stroke {
  const parts = stroke.split("+");
  const key = parts.at(-1) ?? "";
  return { key, mod: parts.includes("Mod"), shift: parts.includes("Shift"), alt: parts.includes("Alt") };
}

/** True if a key event is that stroke. */
export function isStroke(event: KeyboardEvent, stroke: string): boolean {
  const wanted = read(stroke);
  // On many keyboards signs are only reached with AltGr, which some systems tell as Ctrl and Alt.
  const isThird = event.ctrlKey && event.altKey && event.getModifierState("AltGraph");
  const mod = isApple ? event.metaKey : event.ctrlKey && !isThird;
  const other = isApple ? event.ctrlKey : event.metaKey;
  const alt = event.altKey && !isThird;
  if (mod !== wanted.mod || other || alt !== wanted.alt || !isKey(event, wanted.key)) return false;
  return isLetter(wanted.key) ? event.shiftKey === wanted.shift : true;
}

function isLetter(key: string): boolean {
  return /^[a-z]$/i.test(key);
}

function isKey({ key, code }: KeyboardEvent, wanted: string): boolean {
  if (wanted === "Comma") return key === ",";
  if (wanted === "Plus") return key === "+" || key === "=";
  if (wanted === "Minus") return key === "-" || key === "_";
  if (/^\d$/.test(wanted)) return key === wanted || code === `Digit${wanted}`;
  return key.toLowerCase() === wanted.toLowerCase();
}

/** The keys of one stroke as they are written on this machine's keyboard: `Ctrl`, `Shift`, `C`, or `⌘`, `⇧`, `C`. */
export function keyNames(stroke: string): string[] {
  const { key, mod, shift, alt } = read(stroke);
  return [
    ...(mod ? [isApple ? "⌘" : m.keys_control()] : []),
    ...(alt ? [isApple ? "⌥" : m.keys_alt()] : []),
    ...(shift ? [isApple ? "⇧" : m.keys_shift()] : []),
    nameOf(key),
  ];
}

function nameOf(key: string): string {
  switch (key) {
    case "Enter":
      return m.keys_enter();
    case "Escape":
      return m.keys_escape();
    case "Tab":
      return m.keys_tab();
    case "Space":
      return m.keys_space();
    case "Delete":
      return m.keys_delete();
    default:
      return SIGNS[key] ?? (isLetter(key) ? key.toUpperCase() : key);
  }
}

/** A chord in one: `Ctrl K`, `⌘K`, `G N`. */
export function chordWords(chord: Chord): string {
  const between = isApple ? "" : " ";
  return strokesOf(chord)
    .map((stroke) => keyNames(stroke).join(between))
    .join(" ");
}

/** The same as a screen reader's attribute has it; it knows no keys that follow each other. */
export function ariaKeys(chords: readonly Chord[]): string | undefined {
  const single = chords.filter((chord) => !chord.includes(" "));
  if (single.length === 0) return undefined;
  return single.map((chord) => chord.replace("Mod", isApple ? "Meta" : "Control")).join(" ");
}

/** A chord as an entry of a menu has it. */
export function menuKeys(chord: Chord): { keys: string; shortcut: string | undefined } {
  return { keys: chordWords(chord), shortcut: ariaKeys([chord]) };
}
