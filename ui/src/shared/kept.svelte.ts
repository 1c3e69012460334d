/** A text that is typed: it outlives a reload of this window, and ends with it. */
export class KeptText {
  readonly #key: string;
  #text = $state("");

  constructor(key: string) {
    this.#key = key;
    this.#text = read(key);
  }

  get text(): string {
    return this.#text;
  }

  set text(text: string) {
    this.#text = text;
    try {
      if (text === "") sessionStorage.removeItem(this.#key);
      else sessionStorage.setItem(this.#key, text);
    } catch {
      // Storage is closed to us or full: the text lasts as long as this page.
    }
  }
}

function read(key: string): string {
  try {
    return sessionStorage.getItem(key) ?? "";
  } catch {
    return "";
  }
}
