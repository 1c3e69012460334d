import { createSubscriber } from "svelte/reactivity";

const SECOND = 1_000;
/** After this long nobody compares seconds. */
const HOUR = 3_600_000;
/** Ages are told in minutes: nobody sees a quarter of one. */
const COARSE = 15_000;

/**
 * The time, for those that show it.
 *
 * One timer for all of a kind, which runs only while somebody looks: no reader, or a hidden document, no timer. Each
 * goes off on the stroke, so that what both change is painted at once.
 */
function ticking(every: number): () => number {
  const subscribe = createSubscriber((update) => {
    let timer: number | undefined;
    const wait = (): void => {
      timer = window.setTimeout(strike, every - (Date.now() % every));
    };
    const strike = (): void => {
      wait();
      update();
    };
    const follow = (): void => {
      clearTimeout(timer);
      if (!document.hidden) strike();
    };
    document.addEventListener("visibilitychange", follow);
    if (!document.hidden) wait();
    return () => {
      document.removeEventListener("visibilitychange", follow);
      clearTimeout(timer);
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

/** For what has gone on since a time, beside running times: it agrees with them to the second. */
export function nowSince(at: string): number {
  return Date.now() - Date.parse(at) < HOUR ? everySecond() : now();
}
