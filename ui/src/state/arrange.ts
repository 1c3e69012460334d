import type { EndedList, ListEntry, SearchHit, Session } from "../protocol/types";

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
  listId: string;
  /** The session; of a list that has ended with that list's title, progress and times. */
  session: Session;
  /** The list, where it has ended; the present one otherwise. */
  ended: EndedList | undefined;
  /** The hits in it, where something is searched for. */
  found: SearchHit | undefined;
  heading: Heading | undefined;
  /** The line before it is of the same project. */
  isSameProject: boolean;
};

/** So many lists of a day are brought into groups at once: what comes later must not move what is in view. */
const BLOCK = 100;

/** Lists that came newest first: those that are current, then by day, and of each day by project. */
export function arrange(lists: readonly ListEntry[], isOver: boolean): Line[] {
  const lines = lists.map(toLine);
  const current = lines.filter(({ session }) => session.current);
  const days = inDays(lines.filter(({ session }) => !session.current));
  return [
    ...toLines(byProject(current), current.length > 0 ? { is: "current", count: current.length } : undefined),
    ...days.flatMap((day, index) => {
      const isWhole = isOver || index < days.length - 1;
      const at = day[0]?.session.lastActivityAt ?? "";
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
    ...toLine(found),
    id: `${found.listId} ${found.uid ?? ""}`,
    found,
    heading: index === 0 ? heading : undefined,
  }));
}

function toLine({ listId, session, ended }: ListEntry): Line {
  const line = { id: listId, listId, ended, found: undefined, heading: undefined, isSameProject: false };
  if (!ended) return { ...line, session };
  const { title, progress, createdAt, endedAt, deletedAt } = ended;
  const { deletedAt: _, ...kept } = {
    ...session,
    current: false,
    progress,
    createdAt,
    lastActivityAt: endedAt,
  };
  return {
    ...line,
    session: { ...kept, title: title || session.title, ...(deletedAt !== undefined && { deletedAt }) },
  };
}

function toLines(lines: Line[], heading: Heading | undefined): Line[] {
  return lines.map((line, index) => ({
    ...line,
    heading: index === 0 ? heading : undefined,
    isSameProject: index > 0 && lines[index - 1]?.session.project === line.session.project,
  }));
}

/** By the days that the user has. */
function inDays(lines: Line[]): Line[][] {
  const days: Line[][] = [];
  let last = "";
  for (const line of lines) {
    const day = new Date(line.session.lastActivityAt).toDateString();
    if (day !== last) days.push([]);
    days.at(-1)?.push(line);
    last = day;
  }
  return days;
}

function inBlocks(lines: Line[]): Line[][] {
  const count = Math.ceil(lines.length / BLOCK);
  return Array.from({ length: count }, (_, index) => lines.slice(index * BLOCK, (index + 1) * BLOCK));
}

/** Projects in the order in which they were worked at last. */
function byProject(lines: Line[]): Line[] {
  const projects = new Map<string, Line[]>();
  for (const line of lines) {
    const name = line.session.project ?? "";
    projects.set(name, [...(projects.get(name) ?? []), line]);
  }
  return [...projects.values()].flat();
}
