/**
 * Runs inside of the page before anything of it, and counts what comes and what is written.
 *
 * Elements that show a session carry its id and its revision, so that one changed attribute tells both.
 */
export function count() {
  const waiting = new Map();
  const fresh = () => ({ messages: [], mutations: [], latencies: [], framesWaited: [] });
  let noted = fresh();
  let frame = { messages: 0, mutations: 0 };
  let frames = 0;

  const turn = () => {
    frames += 1;
    noted.messages.push(frame.messages);
    noted.mutations.push(frame.mutations);
    frame = { messages: 0, mutations: 0 };
    requestAnimationFrame(turn);
  };

  window.bench = {
    /** Counts by frames from now on, and so asks for all of them; a page at rest has none. */
    turn: () => requestAnimationFrame(turn),
    take() {
      const taken = { ...noted, rest: frame };
      noted = fresh();
      frame = { messages: 0, mutations: 0 };
      return taken;
    },
  };

  const Native = window.WebSocket;
  window.WebSocket = class extends Native {
    constructor(...args) {
      super(...args);
      this.addEventListener("message", ({ data }) => {
        const told = /^\{"type":"todo\.update".*?"sessionId":"([^"]+)"/.exec(data);
        if (!told) return;
        frame.messages += 1;
        // Of what one frame paints, the message that came first has waited longest.
        if (!waiting.has(told[1])) waiting.set(told[1], { at: performance.now(), begun: frames });
      });
    }
  };

  // A message to oneself comes when the frame that is being made is done.
  const done = new MessageChannel();
  let painted = [];
  done.port1.onmessage = () => {
    const now = performance.now();
    for (const { at, waited } of painted) {
      noted.latencies.push(now - at);
      noted.framesWaited.push(waited);
    }
    painted = [];
  };

  const look = (records) => {
    frame.mutations += records.length;
    for (const { attributeName, target } of records) {
      const told = attributeName === "data-revision" ? waiting.get(target.dataset.session) : undefined;
      if (!told) continue;
      waiting.delete(target.dataset.session);
      painted.push({ at: told.at, waited: frames - told.begun });
    }
    if (painted.length > 0) done.port2.postMessage(undefined);
  };
  document.addEventListener("DOMContentLoaded", () => {
    const all = { subtree: true, childList: true, attributes: true, characterData: true };
    new MutationObserver(look).observe(document, all);
  });
}

/** The middle and the worst but one in a hundred. */
export function spread(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  const at = (share) => sorted[Math.round((sorted.length - 1) * share)] ?? 0;
  return { p50: at(0.5), p99: at(0.99) };
}

export function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0);
}
