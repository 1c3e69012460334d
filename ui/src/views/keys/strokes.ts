import type { ActionId } from "../../state/actions.svelte";
import { KEYS, type Keys } from "./actions";
import { isStroke, strokesOf } from "./chords";
import { isEmptyField, isTyping } from "../../shared/typing";

/** A key that begins a chord is forgotten after this long. */
const PATIENCE = 1_500;

const ACTIVE = Object.entries(KEYS) as [ActionId, Keys][];

/** Tells the action that keys are struck for, over the strokes of one chord. */
export class Strokes {
  #begun: string | undefined;
  #at = 0;

  /** True if a key may be the second of a chord: one that types nothing. */
  isBegun(event: KeyboardEvent): boolean {
    const isLetter = event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey;
    return isLetter && this.#begun !== undefined && event.timeStamp - this.#at < PATIENCE;
  }

  /** The action that a key is struck for; nothing where it is for none, or begins a chord. */
  take(event: KeyboardEvent, isDesktop: boolean): ActionId | undefined {
    const begun = event.timeStamp - this.#at < PATIENCE ? this.#begun : undefined;
    this.#begun = undefined;
    const typed = isTyping(event.target);
    const isEmpty = isEmptyField(event.target);
    for (const [action, keys] of ACTIVE) {
      const chords = isDesktop ? [...keys.chords, ...(keys.desktop ?? [])] : keys.chords;
      for (const chord of chords) {
        const isForFields = keys.inFields || (keys.inEmptyFields && isEmpty);
        if (typed && !(isForFields && typesNothing(chord))) continue;
        const [first = "", second] = strokesOf(chord);
        if (begun !== undefined && second !== undefined) {
          if (begun === first && isStroke(event, second)) return action;
        } else if (begun === undefined && isStroke(event, first)) {
          if (second === undefined) return action;
          this.#begun = first;
          this.#at = event.timeStamp;
        }
      }
    }
    return undefined;
  }
}

function typesNothing(chord: string): boolean {
  return chord.startsWith("Mod+") || /^F\d/.test(chord);
}
