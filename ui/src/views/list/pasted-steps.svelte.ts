import type { PreviewedStep } from "../../protocol/types";

/** The steps that a pasted text becomes, while their levels can still be changed. */
export class PastedSteps {
  steps = $state<PreviewedStep[]>([]);
  /** The step that has the focus, or had it last. */
  at = $state(0);
  /** The other end of those that are selected; nothing is selected without it. */
  #from = $state<number>();

  constructor(steps: readonly PreviewedStep[]) {
    this.steps = steps.map((step) => ({ ...step }));
  }

  has(index: number): boolean {
    const from = this.#from;
    return from !== undefined && index >= Math.min(from, this.at) && index <= Math.max(from, this.at);
  }

  come(index: number): void {
    this.at = index;
  }

  /** Selects a step, or all up to it. */
  pick(index: number, isRange: boolean): void {
    if (!isRange || this.#from === undefined) this.#from = isRange ? this.at : index;
    this.at = index;
  }

  /** The first stays a step: there is none above it. */
  can(out: boolean): boolean {
    return this.#meant().some((index) => index > 0 && this.steps[index]?.isSubtask === out);
  }

  level(out: boolean): void {
    for (const index of this.#meant()) {
      const step = this.steps[index];
      if (step && index > 0) step.isSubtask = !out;
    }
  }

  /** Acts on a key; true where it was one of its own. Tab goes on unless steps are selected. */
  take({ key, shiftKey, altKey }: KeyboardEvent): boolean {
    const by = { ArrowDown: 1, ArrowUp: -1 }[key];
    const to = this.at + (by ?? 0);
    if (by !== undefined && !altKey && to >= 0 && to < this.steps.length) {
      if (shiftKey) this.pick(to, true);
      else this.#from = undefined;
      this.at = to;
    } else if (altKey && (key === "ArrowRight" || key === "ArrowLeft")) this.level(key === "ArrowLeft");
    else if (key === "Tab" && this.#from !== undefined) this.level(shiftKey);
    else if (key === "Escape" && this.#from !== undefined) this.#from = undefined;
    else return false;
    return true;
  }

  #meant(): number[] {
    const all = this.steps.map((_, index) => index);
    return this.#from === undefined ? [this.at] : all.filter((index) => this.has(index));
  }
}
