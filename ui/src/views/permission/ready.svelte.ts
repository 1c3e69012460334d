/** For so long after it appeared nothing is allowed: a key or a click that was meant for something else. */
const PAUSE = 500;

/** Whether the user can have seen what is about to be allowed. */
export class Ready {
  isSo = $state(false);
  #timer: number | undefined;

  /** It has just appeared, or has just got the focus by itself; returns what forgets that. */
  begin(): () => void {
    this.isSo = false;
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => (this.isSo = true), PAUSE);
    return () => clearTimeout(this.#timer);
  }
}
