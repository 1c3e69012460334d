// Counts writes to the page: times are for the bench, these must hold everywhere.
import { render, screen } from "@testing-library/svelte";
import { flushSync } from "svelte";
import { afterEach, expect, test, vi } from "vitest";
import type { Item, SessionTodos, Status } from "./protocol/types";
import { motion } from "./shared/motion";
import { Desk } from "./testing/desk";
import { openSession, row, steps, withBrowser } from "./testing/page";
import { item, session } from "./testing/samples";
import Window from "./window/Window.svelte";

/** More than are shown at once; what a browser does with 256 is told by a test of the page. */
const MANY = 64;
/** As many sessions as the page paints in one frame, besides the one that is looked at. */
const PER_FRAME = 12;
/** The parts around the rows that a new revision changes: the ring, the bar, its author, the progress. */
const AROUND = 16;
/** The parts of its row that a step changes when it goes on: the row, its glyph, its words, its buttons. */
const OF_A_ROW = 28;

let watching: MutationObserver | undefined;

// So many rows and sessions take long where there is no real browser.
vi.setConfig({ testTimeout: 60_000 });

withBrowser();

afterEach(async () => {
  watching?.disconnect();
  vi.useRealTimers();
  // The end of a burst is written too.
  await vi.waitUntil(() => motion.isSeen, 5_000);
});

type Pass = { at: number; records: MutationRecord[] };

/** Every pass in which something was written to the page from now on. */
function passes(): Pass[] {
  const seen: Pass[] = [];
  watching = new MutationObserver((records) => seen.push({ at: Date.now(), records }));
  watching.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  return seen;
}

const elementOf = ({ target }: MutationRecord): Element | null =>
  target instanceof Element ? target : target.parentElement;

/** The values that an attribute has on what was written to; `undefined` for all that has none around it. */
function touched(records: MutationRecord[], attribute: string): (string | undefined)[] {
  const named = records.map(
    (record) => elementOf(record)?.closest(`[${attribute}]`)?.getAttribute(attribute) ?? undefined,
  );
  return [...new Set(named)];
}

function rowsOf(records: MutationRecord[]): (string | undefined)[] {
  return touched(records, "data-uid").filter((uid) => uid !== undefined);
}

/** Holds the frames back; gives what makes the next one, a sixtieth of a second later unless it is late. */
function holdFrames(): (late?: number) => void {
  let time = performance.now();
  const asked = new Map<number, FrameRequestCallback>();
  let last = 0;
  vi.stubGlobal("requestAnimationFrame", (run: FrameRequestCallback) => asked.set((last += 1), run) && last);
  vi.stubGlobal("cancelAnimationFrame", (id: number) => asked.delete(id));
  return (late = 0) => {
    time += 1000 / 60 + late;
    const due = [...asked.values()];
    asked.clear();
    for (const run of due) run(time);
    flushSync();
  };
}

/** The writes since it was last asked. */
function written(): MutationRecord[] {
  return watching?.takeRecords() ?? [];
}

function many(changed: number, status: Status): Item[] {
  return Array.from({ length: MANY }, (_, at) => item(`i${at}`, at === changed ? status : "pending"));
}

test("one changed step among many touches its row only, and little around it", async () => {
  const desk = await openSession("s", many(40, "pending"));
  passes();
  const frame = holdFrames();
  desk.write("s", many(40, "completed"));
  frame();
  const records = written();
  expect(row("i40").dataset.status).toBe("completed");
  expect(rowsOf(records)).toEqual(["i40"]);
  expect(records.length).toBeLessThanOrEqual(OF_A_ROW + AROUND);
});

test("when the step in progress moves on, two rows change", async () => {
  const desk = await openSession("s", many(2, "in_progress"));
  passes();
  const frame = holdFrames();
  desk.write("s", many(3, "in_progress"));
  frame();
  const records = written();
  expect(rowsOf(records).toSorted()).toEqual(["i2", "i3"]);
  expect(records.length).toBeLessThanOrEqual(2 * OF_A_ROW + AROUND);
});

test("what comes within one frame is painted once, and the newest wins", async () => {
  const desk = await openSession("s", steps());
  passes();
  const frame = holdFrames();
  for (let round = 1; round <= 500; round += 1) {
    desk.write("s", [item("a", "completed", { content: `Round ${round}` }), ...steps().slice(1)]);
    flushSync();
  }
  expect(written(), "nothing before the frame").toEqual([]);
  frame();
  const records = written();
  expect(row("a").textContent).toContain("Round 500");
  expect(rowsOf(records)).toEqual(["a"]);
  expect(records.length).toBeLessThanOrEqual(AROUND);
  frame();
  expect(written(), "nor after it").toEqual([]);
});

function sessions(state: SessionTodos["state"], number = 30): SessionTodos[] {
  return Array.from({ length: number }, (_, at) => session(`s${at}`, steps(), { state }));
}

test("of a burst over many sessions a frame takes only some, and each gets its turn", async () => {
  const told = sessions("running");
  const desk = new Desk(told);
  render(Window, { backend: desk });
  await screen.findByRole("link", { name: /^codex · project-s0,/ });
  passes();
  const frame = holdFrames();
  for (let round = 1; round <= 17; round += 1) {
    for (const { sessionId } of told) {
      desk.write(sessionId, [item("a", "in_progress", { content: `Round ${round}` }), ...steps().slice(2)]);
    }
  }
  const painted = Array.from({ length: 4 }, () => {
    frame();
    return touched(written(), "data-session").filter((id) => id !== undefined).length;
  });
  expect(painted).toEqual([PER_FRAME, PER_FRAME, 6, 0]);
  expect(document.querySelectorAll('main [data-revision="18"]')).toHaveLength(told.length);
});

/** Sessions on the board, and what writes to all of them. */
async function busy(): Promise<{ write: () => void; frame: (late?: number) => string[] }> {
  const told = sessions("running", 14);
  const desk = new Desk(told);
  render(Window, { backend: desk });
  await screen.findByRole("link", { name: /project-s0,/ });
  let round = 0;
  const write = () => {
    round += 1;
    for (const { sessionId } of told) {
      desk.write(sessionId, [item("a", "in_progress", { content: `Round ${round}` }), ...steps().slice(2)]);
    }
  };
  passes();
  const next = holdFrames();
  const frame = (late?: number) => {
    next(late);
    return touched(written(), "data-session").filter((id) => id !== undefined);
  };
  return { write, frame };
}

test("a session that is not looked at is painted twelve times a second at most, with the newest in the end", async () => {
  const { write, frame } = await busy();
  const painted: string[] = [];
  for (let at = 0; at < 60; at += 1) {
    write();
    painted.push(...frame());
  }
  const times = painted.filter((id) => id === "s0").length;
  expect(times).toBeGreaterThanOrEqual(8);
  expect(times).toBeLessThanOrEqual(13);
  for (let at = 0; at < 10; at += 1) frame();
  expect(document.querySelectorAll('main [data-revision="61"]')).toHaveLength(14);
});

test("after a late frame fewer sessions are painted in one, and after good ones more again", async () => {
  const { write, frame } = await busy();
  const painted = (late?: number) => {
    write();
    return frame(late).length;
  };
  expect([painted(), painted(100), painted(100), painted(100)]).toEqual([PER_FRAME, 6, 3, 3]);
  for (let at = 0; at < 20; at += 1) frame();
  expect(painted()).toBe(PER_FRAME);
});

/** An idle minute from a time on, as the page lives it; gives what it wrote. */
async function idle(from: string, told: SessionTodos[]): Promise<Pass[]> {
  vi.useFakeTimers({ now: Date.parse(from) });
  render(Window, { backend: new Desk(told) });
  await vi.advanceTimersByTimeAsync(2_000);
  const seen = passes();
  await vi.advanceTimersByTimeAsync(60_000);
  return seen;
}

test("while only the clock goes on, it is written at most once a second", async () => {
  const seen = await idle("2026-11-20T14:02:20.400Z", sessions("running"));
  const times = [...new Set(seen.map(({ at }) => at))];
  expect(times.length, "its seconds are seen").toBeGreaterThan(30);
  expect(times.filter((at) => at % 1_000 !== 0)).toEqual([]);
});

test("a hundred quiet sessions are written when their words change, and not otherwise", async () => {
  const seen = await idle("2026-11-20T14:05:20.400Z", sessions("idle", 100));
  const times = [...new Set(seen.map(({ at }) => new Date(at).toISOString()))];
  expect(times, "their minute is over").toEqual(["2026-11-20T14:06:00.000Z"]);
});

test("nothing moves by itself without end: that would be sixty repaints a second", () => {
  const sources = import.meta.glob<string>(["./**/*.{css,svelte}"], {
    query: "?raw",
    import: "default",
    eager: true,
  });
  const moving = Object.entries(sources).filter(([, text]) => /\binfinite\b/.test(text));
  expect(moving.map(([path]) => path)).toEqual([]);
});
