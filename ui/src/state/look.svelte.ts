/** A choice about how this window looks. It stands on the document, is kept, and the first is what is so unless chosen. */
class Choice<T extends string> {
  readonly options: readonly [T, ...T[]];
  readonly #key: string;
  #chosen = $state() as T;

  constructor(key: string, options: readonly [T, ...T[]]) {
    this.#key = key;
    this.options = options;
    // `theme.js` has put a kept choice on the document already.
    this.#chosen = this.#read(document.documentElement.dataset[key]);
    // Another window of this browser has chosen.
    window.addEventListener("storage", (event) => {
      if (event.key === key) this.#show(this.#read(event.newValue ?? undefined));
    });
  }

  get chosen(): T {
    return this.#chosen;
  }

  set chosen(value: T) {
    this.#show(value);
    try {
      if (value === this.options[0]) localStorage.removeItem(this.#key);
      else localStorage.setItem(this.#key, value);
    } catch {
      // Storage is closed to us: the choice lasts as long as this page.
    }
  }

  #read(value: string | undefined): T {
    return this.options.find((option) => option === value) ?? this.options[0];
  }

  #show(value: T): void {
    this.#chosen = value;
    const { dataset } = document.documentElement;
    if (value === this.options[0]) delete dataset[this.#key];
    else dataset[this.#key] = value;
  }
}

export const theme = new Choice("theme", ["system", "light", "dark"] as const);
export const density = new Choice("density", ["comfortable", "compact"] as const);

/** The groups of the board; by project where there are many, unless another is chosen. */
export const grouping = new Choice("group", ["auto", "none", "project", "tag", "agent"] as const);
/** Where there is room, the board or the history stands beside a session. */
export const panes = new Choice("panes", ["two", "one"] as const);

export type Theme = typeof theme.chosen;
export type Density = typeof density.chosen;
export type Grouping = typeof grouping.chosen;
