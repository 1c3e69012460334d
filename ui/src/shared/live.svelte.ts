/** Not more often than this is a reader told of what agents do. */
const PAUSE = 4_000;

/** Something to tell, put into words when it is told; nothing where it has come to nothing. */
type News = () => string | undefined;

/** The words that a screen reader tells: politely, and of a burst only its outcome. */
class Live {
  text = $state("");
  /** News that wait to be told, one of each kind. */
  readonly #next = new Map<string, News>();
  #timer: number | undefined;

  /** For what the user has done: at once. */
  say(text: string): void {
    this.#put(text);
  }

  /** For what agents do: when the last word is long enough ago. Of each kind only the newest is told. */
  mention(news: string | News, kind = ""): void {
    this.#next.set(kind, typeof news === "string" ? () => news : news);
    if (this.#timer === undefined) this.#tell();
  }

  #tell(): void {
    const told = [...this.#next.values()].flatMap((news) => news() ?? []);
    this.#next.clear();
    if (told.length > 0) this.#put(told.join(" "));
  }

  #put(text: string): void {
    this.text = text;
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => {
      this.#timer = undefined;
      this.#tell();
    }, PAUSE);
  }
}

export const live = new Live();
