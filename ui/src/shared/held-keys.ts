import { tick } from "svelte";

/**
 * Keys that are struck after something was asked for that takes the keyboard, and before it has the focus: its part may
 * have to be fetched first, and a sheet takes the focus a moment after it is painted. They do nothing to what is behind,
 * and are given to it once it is there.
 */
class HeldKeys {
  /** Those that are awaited, and what gives each of them up. */
  readonly #awaited = new Map<object, () => void>();
  #struck: KeyboardEvent[] = [];
  #isGiving = false;

  /** Holds what is struck from now on; returns what ends that without giving it to anything. */
  hold(leave: () => void): () => void {
    const one = {};
    this.#listen();
    this.#awaited.set(one, leave);
    return () => {
      this.#awaited.delete(one);
      if (this.#awaited.size === 0 && !this.#isGiving) this.#end();
    };
  }

  /** Gives what was struck to what has the focus now, one after the other. */
  async give(): Promise<void> {
    this.#awaited.clear();
    if (this.#isGiving) return;
    this.#isGiving = true;
    // A key may ask for something else, which gets the others.
    for (let next = this.#next(); next; next = this.#next()) {
      strike(next);
      // oxlint-disable-next-line no-await-in-loop
      await tick();
    }
    this.#isGiving = false;
    if (this.#awaited.size === 0) this.#end();
  }

  #next(): KeyboardEvent | undefined {
    return this.#awaited.size === 0 ? this.#struck.shift() : undefined;
  }

  readonly #take = (event: KeyboardEvent): void => {
    if (given.has(event) || event.isComposing || isModifier(event)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (event.key === "Escape" && this.#awaited.size > 0) {
      // Nobody waits for it any more.
      const leave = [...this.#awaited.values()].at(-1);
      this.#struck = [];
      leave?.();
    } else this.#struck.push(event);
  };

  #listen(): void {
    window.addEventListener("keydown", this.#take, true);
  }

  #end(): void {
    window.removeEventListener("keydown", this.#take, true);
    this.#struck = [];
  }
}

export const heldKeys = new HeldKeys();

/** The events that are made here, which are not held again. */
const given = new WeakSet<Event>();

function isModifier({ key }: KeyboardEvent): boolean {
  return ["Shift", "Control", "Alt", "AltGraph", "Meta", "CapsLock"].includes(key);
}

/** Strikes a key where the focus is now; a letter gets into a field there. */
function strike(event: KeyboardEvent): void {
  const { key, code, shiftKey, ctrlKey, altKey, metaKey } = event;
  const at = document.activeElement ?? document.body;
  const modifiers = { shiftKey, ctrlKey, altKey, metaKey };
  const again = new KeyboardEvent("keydown", { key, code, ...modifiers, bubbles: true, cancelable: true });
  given.add(again);
  const isChord = (ctrlKey || metaKey) && !event.getModifierState("AltGraph");
  if (!at.dispatchEvent(again) || isChord) return;
  if (at instanceof HTMLInputElement || at instanceof HTMLTextAreaElement) edit(at, key);
}

function edit(field: HTMLInputElement | HTMLTextAreaElement, key: string): void {
  const [start, end] = [field.selectionStart ?? 0, field.selectionEnd ?? 0];
  if (key.length === 1) field.setRangeText(key, start, end, "end");
  else if (key === "Backspace")
    field.setRangeText("", start === end ? Math.max(0, start - 1) : start, end, "end");
  else return;
  field.dispatchEvent(new InputEvent("input", { bubbles: true, inputType: "insertText", data: key }));
}
