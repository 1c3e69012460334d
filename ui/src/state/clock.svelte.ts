import { createSubscriber } from "svelte/reactivity";

const SECOND = 1_000;
/** Ages are told in minutes: nobody sees a quarter of one. */
const COARSE = 15_000;

/**
 * The time, for those that show it.
 *
 * One timer for all of a kind, which runs only while somebody looks: no reader, or a hidden document, no timer.
 */
function ticking(every: number): () => number {
  const subscribe = createSubscriber((update) => {
    let timer: number | undefined;
    const follow = (): void => {
      clearInterval(timer);
      timer = undefined;
      if (document.hidden) return;
      timer = window.setInterval(update, every);
      update();
    };
    document.addEventListener("visibilitychange", follow);
    if (!document.hidden) timer = window.setInterval(update, every);
    return () => {
      document.removeEventListener("visibilitychange", follow);
      clearInterval(timer);
    };
  });
  return () => {
    subscribe();
    return Date.now();
  };
}

/** For running times. Read it only while something is in progress. */
export const everySecond = ticking(SECOND);

/** For ages. */
export const now = ticking(COARSE);
