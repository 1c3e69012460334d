/** Not more often than this is a reader told of what agents do. */
const PAUSE = 4_000;

/** What a screen reader is told: politely, and of a burst only the newest. */
class Live {
  text = $state("");
  #next: string | undefined;
  #timer: number | undefined;

  /** For what the user has done: at once. */
  say(text: string): void {
    this.#next = undefined;
    this.#put(text);
  }

  /** For what agents do: when the last word is long enough ago. */
  mention(text: string): void {
    this.#next = text;
    if (this.#timer === undefined) this.#put(text);
  }

  #put(text: string): void {
    if (this.#next === text) this.#next = undefined;
    this.text = text;
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => {
      this.#timer = undefined;
      if (this.#next !== undefined) this.#put(this.#next);
    }, PAUSE);
  }
}

export const live = new Live();
