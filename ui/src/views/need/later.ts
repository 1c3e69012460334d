import { m } from "../../paraglide/messages";
import type { NeedKind } from "../../protocol/types";

/** A time to which a need can be put off (RFC 3339). */
export type Later = { label: string; until: (now: number) => string };

const MINUTE = 60_000;
const MORNING = 9;

export function laterTimes(): Later[] {
  return [
    { label: m.needs_later_minutes(), until: (now) => stamp(now + 10 * MINUTE) },
    { label: m.needs_later_hour(), until: (now) => stamp(now + 60 * MINUTE) },
    { label: m.needs_later_tomorrow(), until: tomorrow },
  ];
}

/** An agent that waits for an answer does nothing meanwhile. */
export function canBePutOff(kind: NeedKind): boolean {
  return kind !== "permission" && kind !== "waiting";
}

/** Days differ in length where clocks are changed. */
function tomorrow(now: number): string {
  const day = new Date(now);
  day.setDate(day.getDate() + 1);
  return stamp(day.setHours(MORNING, 0, 0, 0));
}

function stamp(time: number): string {
  return new Date(time).toISOString();
}
