import type { HourOfWork } from "../../protocol/types";

export type Work = Omit<HourOfWork, "at" | "agent">;

/** The work of one agent on one day; the day is its local midnight. */
type DayOfWork = { day: number; agent: string; work: Work };

export type Summed = {
  /** Every day, oldest first, whether anything was done on it or not. */
  days: number[];
  /** The agents, the one that finished most first. */
  agents: string[];
  /** The newest day first, on it the agents in their order. */
  rows: DayOfWork[];
  byAgent: ReadonlyMap<string, Work>;
  total: Work;
};

const NOTHING: Work = {
  lists: 0,
  finished: 0,
  skipped: 0,
  reopened: 0,
  workedMs: 0,
  estimated: 0,
  estimatedMs: 0,
  actualMs: 0,
};

function add(sum: Work, hour: Work): Work {
  const keys = Object.keys(NOTHING) as (keyof Work)[];
  return Object.fromEntries(keys.map((key) => [key, sum[key] + hour[key]])) as Work;
}

function midnight(time: number): Date {
  const day = new Date(time);
  day.setHours(0, 0, 0, 0);
  return day;
}

/** The first of so many days that end today; a day is as long as it is where the user is. */
export function firstDay(days: number, now: number): Date {
  const day = midnight(now);
  day.setDate(day.getDate() - (days - 1));
  return day;
}

/** Hours of work by the user's own days. */
export function sumUp(hours: readonly HourOfWork[], count: number, now: number): Summed {
  const days = Array.from({ length: count }, (_, index) => {
    const day = firstDay(count, now);
    day.setDate(day.getDate() + index);
    return day.getTime();
  });
  const known = new Set(days);
  const cells = new Map<string, DayOfWork>();
  const byAgent = new Map<string, Work>();
  let total = NOTHING;
  for (const { at, agent, ...work } of hours) {
    const day = midnight(Date.parse(at)).getTime();
    if (!known.has(day)) continue;
    const key = `${day} ${agent}`;
    cells.set(key, { day, agent, work: add(cells.get(key)?.work ?? NOTHING, work) });
    byAgent.set(agent, add(byAgent.get(agent) ?? NOTHING, work));
    total = add(total, work);
  }
  const finished = (agent: string): number => byAgent.get(agent)?.finished ?? 0;
  const agents = [...byAgent.keys()].toSorted(
    (a, b) => finished(b) - finished(a) || (a < b ? -1 : Number(a > b)),
  );
  const rows = [...cells.values()].toSorted(
    (a, b) => b.day - a.day || agents.indexOf(a.agent) - agents.indexOf(b.agent),
  );
  return { days, agents, rows, byAgent, total };
}

/** The average time of one; nothing where there was none. */
export function mean(milliseconds: number, count: number): number | undefined {
  return count > 0 ? milliseconds / count : undefined;
}
