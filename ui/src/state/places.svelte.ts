/** Where this is kept. */
const KEY = "places";
/** More than a board ever has. */
const MOST = 500;

/** The order that the user gave to runs by hand, in this window and the next. */
class Places {
  #ids = $state.raw<readonly string[]>([]);

  constructor() {
    this.#ids = read(localStorage.getItem(KEY));
    // Another window of this browser has put one elsewhere.
    window.addEventListener("storage", ({ key, newValue }) => {
      if (key === KEY) this.#ids = read(newValue);
    });
  }

  /** The ids of those that were put somewhere, in their order. */
  get ids(): readonly string[] {
    return this.#ids;
  }

  /** Takes the order of the runs of one list; those of others keep theirs. */
  put(order: readonly string[]): void {
    const there = new Set(order);
    this.#ids = [...order, ...this.#ids.filter((id) => !there.has(id))].slice(0, MOST);
    try {
      localStorage.setItem(KEY, JSON.stringify(this.#ids));
    } catch {
      // Storage is closed to us or full: the order lasts as long as this page.
    }
  }
}

function read(kept: string | null): readonly string[] {
  try {
    const ids: unknown = JSON.parse(kept ?? "[]");
    return Array.isArray(ids) ? ids.filter((id) => typeof id === "string") : [];
  } catch {
    return [];
  }
}

export const places = new Places();
