/** A choice of the user's that the next window begins with. */
export class LastChoice {
  readonly #key: string;

  constructor(key: string) {
    this.#key = key;
  }

  get(): string {
    try {
      return localStorage.getItem(this.#key) ?? "";
    } catch {
      return "";
    }
  }

  set(choice: string): void {
    try {
      localStorage.setItem(this.#key, choice);
    } catch {
      // Storage is closed to us or full: the next window begins with nothing.
    }
  }
}
