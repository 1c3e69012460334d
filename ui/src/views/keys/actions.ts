import type { ActionId } from "../../state/actions.svelte";
import type { Chord } from "./chords";

/** The keys of an action. */
export type Keys = {
  chords: readonly Chord[];
  /** Those that a browser has another use for, so that they are ours only in the desktop's window. */
  desktop?: readonly Chord[];
  /** Also while something is typed: keys that type nothing. */
  inFields?: true;
  /** Also in a field with nothing in it. */
  inEmptyFields?: true;
};

/** The keys of all that can be done from anywhere. The table has their words, and the keys that belong to a place. */
export const KEYS = {
  now: page("g n", "Mod+1"),
  needs: page("g e", "Mod+2"),
  history: page("g h", "Mod+3"),
  agents: page("g a", "Mod+4"),
  settings: page("g s", "Mod+Comma"),
  chat: page("g t", "Mod+T"),
  compact: page("g c", "Mod+Shift+M"),
  previous: page("[", "Mod+["),
  next: page("]", "Mod+]"),
  palette: { chords: ["Mod+K"], desktop: ["Mod+F"], inFields: true },
  commands: { chords: ["/"] },
  undo: { chords: ["Mod+Z"], inEmptyFields: true },
  redo: { chords: ["Mod+Shift+Z"], inEmptyFields: true },
  keys: { chords: ["?"], desktop: ["Mod+/"], inFields: true },
  "new-step": { chords: ["n"], desktop: ["Mod+N"], inFields: true },
  tell: { chords: ["t"] },
  "copy-markdown": { chords: ["k"], desktop: ["Mod+Shift+C"], inFields: true },
  "zoom-in": desktop("Mod+Plus"),
  "zoom-out": desktop("Mod+Minus"),
  "zoom-reset": desktop("Mod+0"),
  fullscreen: desktop("F11"),
  close: desktop("Mod+W"),
  quit: desktop("Mod+Q"),
} satisfies Partial<Record<ActionId, Keys>>;

function page(chord: Chord, ours: Chord): Keys {
  return { chords: [chord], desktop: [ours], inFields: true };
}

function desktop(chord: Chord): Keys {
  return { chords: [], desktop: [chord], inFields: true };
}
