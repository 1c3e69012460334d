import type { SessionFilter, SessionState } from "../protocol/types";

/** The span to look back: days with today, or everything. */
export type Days = 1 | 7 | 30;

/** The filter of the archive; it stands in the address. */
export type Asked = {
  /** The text that is searched for. */
  q: string;
  agent?: string;
  project?: string;
  tag?: string;
  state?: SessionState;
  unfinished?: true;
  days?: Days;
  deleted?: true;
};

export const HISTORY = "#/history";
export const NOTHING_ASKED: Asked = { q: "" };

export const STATES: readonly SessionState[] = ["running", "waiting", "idle", "finished", "failed", "stale"];
export const DAYS: readonly Days[] = [1, 7, 30];

export function readAsked(query: string): Asked {
  const fields = new URLSearchParams(query);
  const agent = fields.get("agent");
  const project = fields.get("project");
  const tag = fields.get("tag");
  const state = STATES.find((each) => each === fields.get("state"));
  const days = DAYS.find((each) => String(each) === fields.get("days"));
  return {
    q: fields.get("q") ?? "",
    ...(agent && { agent }),
    ...(project && { project }),
    ...(tag && { tag }),
    ...(state && { state }),
    ...(fields.has("unfinished") && { unfinished: true }),
    ...(days && { days }),
    ...(fields.has("deleted") && { deleted: true }),
  };
}

export function historyAddress(asked: Asked): string {
  const fields = new URLSearchParams();
  for (const [name, value] of Object.entries(asked)) {
    if (value !== undefined && value !== "") fields.set(name, value === true ? "" : String(value));
  }
  const query = fields.toString().replaceAll(/=(?=&|$)/g, "");
  return query === "" ? HISTORY : `${HISTORY}?${query}`;
}

/** The same as the gateway takes it; a day begins at midnight where the user is. */
export function filterOf(asked: Asked, now: number): SessionFilter {
  const { q: _, days, ...filter } = asked;
  if (days === undefined) return filter;
  const since = new Date(now);
  since.setHours(0, 0, 0, 0);
  since.setDate(since.getDate() - (days - 1));
  return { ...filter, since: since.toISOString() };
}

/** True if there is any filter at all. */
export function isNarrowed(asked: Asked): boolean {
  return Object.values(asked).some((value) => value !== undefined && value !== "");
}
