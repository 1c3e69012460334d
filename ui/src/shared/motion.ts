/** As `--calm` and `--ease`. */
export const TIMING = { duration: 180, easing: "cubic-bezier(0.2, 0.7, 0.3, 1)" };

/** So many painted changes within this time are a burst: single ones are not worth seeing then. */
const MANY = 6;
const WITHIN = 400;
/** The properties that say how long a change is seen to happen. */
const DURATIONS = ["--fast", "--calm"];

/** Tells when changes are seen to happen: in a burst they are not, for one would only interrupt the other. */
class Motion {
  #painted = 0;
  #timer: number | undefined;
  #isBurst = false;

  /** Something that was told is painted now. */
  note(): void {
    this.#painted += 1;
    if (this.#painted === MANY && !this.#isBurst) this.#begin();
    if (this.#timer === undefined) this.#wait();
  }

  /** True while changes may be seen happening. */
  get isSeen(): boolean {
    return !this.#isBurst && !document.hidden && !prefersStillness();
  }

  /** Nothing is painted any more. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#painted = 0;
    if (this.#isBurst) this.#end();
  }

  #begin(): void {
    this.#isBurst = true;
    for (const name of DURATIONS) document.documentElement.style.setProperty(name, "0s");
  }

  #look(): void {
    const goesOn = this.#painted > 0;
    if (this.#isBurst && this.#painted < MANY) this.#end();
    this.#painted = 0;
    if (goesOn) this.#wait();
    else this.#timer = undefined;
  }

  #wait(): void {
    this.#timer = window.setTimeout(() => this.#look(), WITHIN);
  }

  #end(): void {
    this.#isBurst = false;
    for (const name of DURATIONS) document.documentElement.style.removeProperty(name);
  }
}

export const motion = new Motion();

function prefersStillness(): boolean {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}
