import { m } from "../paraglide/messages";
import type { Item } from "../protocol/types";
import { brief } from "../shared/text/plain";
import { number } from "../shared/text/numbers";
import { hasEnded, wordsOf } from "../state/steps";

/** The changes of a list since somebody was last told of it. */
export class News {
  readonly #name: string;
  #before: ReadonlyMap<string, Item>;
  #finished = new Map<string, Item>();
  #begun: Item | undefined;
  #added = 0;
  #todos: Item[];

  constructor(name: string, todos: Item[]) {
    this.#name = name;
    this.#todos = todos;
    this.#before = byUid(todos);
  }

  /** The list is so now; whether there is something to tell. */
  take(todos: Item[]): boolean {
    this.#todos = todos;
    const now = byUid(todos);
    for (const [uid, item] of now) {
      const before = this.#before.get(uid);
      if (!before) this.#added += 1;
      if (hasEnded(item) && before && !hasEnded(before)) this.#finished.set(uid, item);
      else if (!hasEnded(item)) this.#finished.delete(uid);
      if (item.status === "in_progress" && before?.status !== "in_progress") this.#begun = item;
      else if (this.#begun?.uid === uid) this.#begun = item.status === "in_progress" ? item : undefined;
    }
    this.#before = now;
    return this.#finished.size > 0 || this.#begun !== undefined || this.#added > 0;
  }

  /** All of it in a sentence or two; from then on it is known. */
  tell(): string | undefined {
    const [one] = this.#finished.values();
    const count = this.#finished.size;
    const session = this.#name;
    const sentences: string[] = [];
    if (count > 1) sentences.push(m.session_news_finished({ count, session }));
    else if (one) sentences.push(m.session_news_one({ step: brief(one.content), ...this.#counted() }));
    if (this.#begun) sentences.push(m.session_news_begun({ step: brief(wordsOf(this.#begun)) }));
    if (this.#added > 0) sentences.push(m.session_news_added({ count: this.#added, session }));
    this.#finished = new Map();
    this.#begun = undefined;
    this.#added = 0;
    return sentences.length > 0 ? sentences.join(" ") : undefined;
  }

  #counted(): { done: string; total: string } {
    const counted = this.#todos.filter(({ status }) => status !== "cancelled");
    return { done: number(counted.filter(hasEnded).length), total: number(counted.length) };
  }
}

function byUid(todos: Item[]): Map<string, Item> {
  return new Map(todos.map((item) => [item.uid, item]));
}
