import type { LaterItem } from "../protocol/types";
import { KeptText } from "../shared/kept.svelte";

type Draft = { laterId: string; before: string; text: string };

/** Another wording of a step or message that is kept for later; it outlives its page, and a reload. */
export class LaterDraft {
  readonly #kept: KeptText;
  readonly #draft: Draft | undefined = $derived.by(() => read(this.#kept.text));

  constructor(sessionId: string) {
    this.#kept = new KeptText(`later-edit ${sessionId}`);
  }

  /** The item that is worded anew. */
  get of(): string | undefined {
    return this.#draft?.laterId;
  }

  get text(): string {
    return this.#draft?.text ?? "";
  }

  set text(text: string) {
    if (this.#draft) this.#keep({ ...this.#draft, text });
  }

  /** True if it says something else than the item did. */
  get isChanged(): boolean {
    const { before = "", text = "" } = this.#draft ?? {};
    return text.trim() !== "" && text.trim() !== before.trim();
  }

  begin({ laterId, text }: LaterItem): void {
    this.#keep({ laterId, before: text, text });
  }

  end(): void {
    this.#kept.text = "";
  }

  #keep(draft: Draft): void {
    this.#kept.text = JSON.stringify(draft);
  }
}

/** A draft that was kept; nothing where another build has written it otherwise. */
function read(kept: string): Draft | undefined {
  try {
    const { laterId, before, text } = JSON.parse(kept) as Partial<Draft>;
    const isDraft = typeof laterId === "string" && typeof before === "string" && typeof text === "string";
    return isDraft ? { laterId, before, text } : undefined;
  } catch {
    return undefined;
  }
}
