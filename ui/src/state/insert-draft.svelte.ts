import { KeptText } from "../shared/kept.svelte";

/** The place of an open field: beside a row, so that it stays there when the agent changes the list. */
export type FieldPlace = { uid: string; side: "before" | "after"; isSubtask: boolean };

/** A step that is typed between two others, and the place of its field; both outlive a reload. */
export class InsertDraft {
  readonly #text: KeptText;
  readonly #storedPlace: KeptText;
  #place = $state.raw<FieldPlace>();

  constructor(sessionId: string) {
    this.#text = new KeptText(`insert ${sessionId}`);
    this.#storedPlace = new KeptText(`insert-at ${sessionId}`);
    this.#place = read(this.#storedPlace.text);
  }

  get text(): string {
    return this.#text.text;
  }

  set text(text: string) {
    this.#text.text = text;
  }

  get place(): FieldPlace | undefined {
    return this.#place;
  }

  set place(place: FieldPlace | undefined) {
    this.#place = place;
    this.#storedPlace.text = place === undefined ? "" : JSON.stringify(place);
  }
}

/** A place that was kept; nothing where another build has written it otherwise. */
function read(kept: string): FieldPlace | undefined {
  try {
    const { uid, side, isSubtask } = JSON.parse(kept) as Partial<FieldPlace>;
    const isPlace =
      typeof uid === "string" && (side === "before" || side === "after") && typeof isSubtask === "boolean";
    return isPlace ? { uid, side, isSubtask } : undefined;
  } catch {
    return undefined;
  }
}
