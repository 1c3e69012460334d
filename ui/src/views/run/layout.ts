import { m } from "../../paraglide/messages";
import type { Session, SessionState } from "../../protocol/types";
import type { Density } from "../../state/look.svelte";

/** The size in which a run is shown: as a page of its own, in cards of three sizes, or on a line. */
export type Size = "page" | "large" | "card" | "small" | "line";

/** Room for the board, in pixels. */
export type Room = { width: number; height: number };

/** The room that a card takes with the gap around it, and the share of the room for all: more has to be scrolled. */
const TAKES: [Size, { width: number; height: number; share: number }][] = [
  ["large", { width: 434, height: 344, share: 0.9 }],
  ["card", { width: 304, height: 300, share: 1.3 }],
  ["small", { width: 304, height: 206, share: 1.3 }],
];

const SMALLER: Record<Size, Size> = {
  page: "large",
  large: "card",
  card: "small",
  small: "line",
  line: "line",
};

/** The largest size in which so many, or so many in each of several parts, fit the room; one step less where the user wants it dense. */
export function sizeFor(counts: number | readonly number[], room: Room, density: Density): Size {
  const parts = typeof counts === "number" ? [counts] : counts;
  const runs = parts.reduce((sum, part) => sum + part, 0);
  const fits = TAKES.find(([, { width, height, share }]) => {
    const columns = Math.max(1, Math.floor(room.width / width));
    // Each part begins a row of its own.
    const rows = parts.reduce((sum, part) => sum + Math.ceil(part / columns), 0);
    return rows * height <= room.height * share;
  });
  const size = runs === 1 ? "page" : (fits?.[0] ?? "line");
  return density === "compact" ? SMALLER[size] : size;
}

/** For those that recede beside others which want attention. */
export function sizeBeside(size: Size, runs: number): Size {
  if (runs > FEW) return "line";
  return size === "page" || size === "large" ? "card" : SMALLER[size];
}

/** So few may still be cards. */
const FEW = 6;

const STATES: SessionState[] = ["waiting", "failed", "running", "idle", "finished", "stale"];

/** `1 waiting for you · 2 running`. */
export function summary(sessions: Session[]): string {
  return STATES.map((state) => ({
    state,
    count: sessions.filter((session) => session.state === state).length,
  }))
    .filter(({ count }) => count > 0)
    .map(({ state, count }) => m.now_counts({ state, count }))
    .join(" · ");
}
