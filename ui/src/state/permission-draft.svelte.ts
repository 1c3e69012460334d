import { KeptText } from "../shared/kept.svelte";

/** The user's words for one permission that are not sent yet; they outlive its card, and a reload. */
export class PermissionDraft {
  /** The message of a denial. */
  readonly message: KeptText;
  /** The options that are ticked, by question. */
  chosen = $state<string[][]>([]);

  readonly #id: string;
  readonly #own: KeptText[] = [];

  constructor(permissionId: string) {
    this.#id = permissionId;
    this.message = new KeptText(`deny ${permissionId}`);
  }

  /** The user's own answer to a question. */
  own(question: number): KeptText {
    return (this.#own[question] ??= new KeptText(`answer ${this.#id} ${question}`));
  }

  clear(): void {
    for (const each of [this.message, ...this.#own]) each.text = "";
    this.chosen = [];
  }
}
