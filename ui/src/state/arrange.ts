import type { SearchHit, Session } from "../protocol/types";

/** The heading over the first line of a group. */
export type Heading =
  | { is: "current"; count: number | undefined }
  /** `count` is absent while more of the day may be to come. */
  | { is: "day"; at: string; count: number | undefined }
  | { is: "titles" }
  | { is: "steps" };

/** One line of the page. */
export type Line = {
  id: string;
  session: Session;
  /** The hits in it, where something is searched for. */
  found: SearchHit | undefined;
  heading: Heading | undefined;
  /** The line before it is of the same project. */
  isSameProject: boolean;
};

/** So many sessions of a day are brought into groups at once: what comes later must not move what is in view. */
const BLOCK = 100;

/** Sessions that came newest first: those that are current, then by day, and of each day by project. */
export function arrange(sessions: readonly Session[], isOver: boolean): Line[] {
  const current = sessions.filter((session) => session.current);
  const days = inDays(sessions.filter((session) => !session.current));
  return [
    ...toLines(byProject(current), current.length > 0 ? { is: "current", count: current.length } : undefined),
    ...days.flatMap((day, index) => {
      const isWhole = isOver || index < days.length - 1;
      const at = day[0]?.lastActivityAt ?? "";
      return toLines(inBlocks(day).flatMap(byProject), {
        is: "day",
        at,
        count: isWhole ? day.length : undefined,
      });
    }),
  ];
}

/** The hits, in the order in which they came: by title or folder first. */
export function arrangeHits(results: readonly SearchHit[]): Line[] {
  const byTitle = results.filter(({ uid }) => uid === undefined);
  const byStep = results.filter(({ uid }) => uid !== undefined);
  return [...hitLines(byTitle, { is: "titles" }), ...hitLines(byStep, { is: "steps" })];
}

function hitLines(results: SearchHit[], heading: Heading): Line[] {
  return results.map((found, index) => ({
    id: `${found.sessionId} ${found.uid ?? ""}`,
    session: found.session,
    found,
    heading: index === 0 ? heading : undefined,
    isSameProject: false,
  }));
}

function toLines(sessions: Session[], heading: Heading | undefined): Line[] {
  return sessions.map((session, index) => ({
    id: session.sessionId,
    session,
    found: undefined,
    heading: index === 0 ? heading : undefined,
    isSameProject: index > 0 && sessions[index - 1]?.project === session.project,
  }));
}

/** By the days that the user has. */
function inDays(sessions: Session[]): Session[][] {
  const days: Session[][] = [];
  let last = "";
  for (const session of sessions) {
    const day = new Date(session.lastActivityAt).toDateString();
    if (day !== last) days.push([]);
    days.at(-1)?.push(session);
    last = day;
  }
  return days;
}

function inBlocks(sessions: Session[]): Session[][] {
  const count = Math.ceil(sessions.length / BLOCK);
  return Array.from({ length: count }, (_, index) => sessions.slice(index * BLOCK, (index + 1) * BLOCK));
}

/** Projects in the order in which they were worked at last. */
function byProject(sessions: Session[]): Session[] {
  const projects = new Map<string, Session[]>();
  for (const session of sessions) {
    const name = session.project ?? "";
    projects.set(name, [...(projects.get(name) ?? []), session]);
  }
  return [...projects.values()].flat();
}
