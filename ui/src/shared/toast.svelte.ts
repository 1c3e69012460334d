import { m } from "../paraglide/messages";
import { live } from "./live.svelte";

const SHOWN_FOR = 10_000;

type Toast = {
  text: string;
  tone: "plain" | "failed";
  /** An action that is offered with it. */
  action?: { label: string; run: () => void } | undefined;
};

/** The one message at the window's foot; a newer one takes its place. */
class Toasts {
  shown = $state.raw<Toast>();
  #timer: number | undefined;

  show(toast: Toast): void {
    this.shown = toast;
    live.say(toast.text);
    this.resume();
  }

  /** That something could not be done. */
  fail(text: string): void {
    this.show({ text, tone: "failed" });
  }

  /** Tells what was done, and offers to take it back. */
  offerUndo(text: string, undo: () => void): void {
    this.show({ text, tone: "plain", action: { label: m.common_undo(), run: undo } });
  }

  /** While somebody is at it, it stays. */
  hold(): void {
    clearTimeout(this.#timer);
  }

  resume(): void {
    this.hold();
    this.#timer = window.setTimeout(() => this.dismiss(), SHOWN_FOR);
  }

  dismiss(): void {
    this.hold();
    this.shown = undefined;
  }
}

export const toasts = new Toasts();
