import { Failure } from "../backend/backend";
import type {
  Answers,
  ArchiveInfo,
  HourOfWork,
  ListEntry,
  Request,
  SearchHit,
  Session,
  SessionFilter,
} from "../protocol/types";

const MINE = /^(archive\.|list\.|session\.(search|delete|undelete|import)$)/;

type Asked = {
  filter?: SessionFilter;
  cursor?: string;
  limit?: number;
  query?: string;
  sessionId?: string;
  listId?: string;
};

/** A session's present list; its id is that of the session. */
export function present(session: Session): ListEntry {
  return { listId: session.sessionId, session };
}

/** An archive on the desk: it pages, filters and searches as the real one does, for what the tests ask. */
export class DeskArchive {
  /** Newest first. With none of them the desk lists its own sessions. */
  sessions: Session[] = [];
  deleted: Session[] = [];
  /** Lists that have ended, after those of the sessions. */
  ended: ListEntry[] = [];
  hours: HourOfWork[] = [];
  /** The number of sessions that a retention would take. */
  due = 0;
  /** Holds every search back until it is called. */
  held: (() => void)[] | undefined;

  isFor(type: Request["type"], fields: object): boolean {
    if (type === "session.list") return this.sessions.length > 0 || "filter" in fields;
    return MINE.test(type);
  }

  async answer(type: Request["type"], fields: Asked): Promise<unknown> {
    switch (type) {
      case "session.list":
        return this.#list(fields);
      case "archive.lists":
        return this.#lists(fields);
      case "session.search":
        return this.#search(fields);
      case "list.delete":
        return this.#delete(fields);
      case "list.undelete":
        return this.#move(fields.listId, "sessions");
      case "session.delete":
        return this.#move(fields.sessionId, "forGood" in fields ? undefined : "deleted");
      case "session.undelete":
        return this.#move(fields.sessionId, "sessions");
      case "session.import":
        return { sessions: ["new"], known: 2 } satisfies Answers["session.import"];
      case "archive.status":
        return this.#status();
      case "archive.insight":
        return { hours: this.hours } satisfies Answers["archive.insight"];
      default:
        throw new Failure("UNKNOWN_TYPE", type);
    }
  }

  /** Like the gateway it may give fewer than were asked for: what is filtered out leaves a page short. */
  #list({ filter = {}, cursor = "0", limit = 50 }: Asked): Answers["session.list"] {
    const all = filter.deleted ? this.deleted : this.sessions;
    const end = Number(cursor) + limit;
    const page = all.slice(Number(cursor), end).filter((session) => isIn(session, filter));
    return { sessions: page, ...(end < all.length && { nextCursor: String(end) }) };
  }

  #lists(fields: Asked): Answers["archive.lists"] {
    const { sessions, nextCursor } = this.#list(fields);
    const ended = nextCursor === undefined && !fields.filter?.deleted ? this.ended : [];
    return { lists: [...sessions.map(present), ...ended], ...(nextCursor !== undefined && { nextCursor }) };
  }

  #delete(fields: Asked): Answers["list.delete"] {
    const left = this.ended.filter(({ listId }) => listId !== fields.listId);
    if (left.length === this.ended.length) {
      return this.#move(fields.listId, "forGood" in fields ? undefined : "deleted");
    }
    this.ended = left;
    return {};
  }

  async #search({ query = "", filter = {} }: Asked): Promise<Answers["session.search"]> {
    const { held } = this;
    if (held) await new Promise<void>((go) => held.push(go));
    const results = this.sessions
      .filter((session) => isIn(session, filter) && session.title.includes(query))
      .map((session) => searchHit(session, query));
    return { results };
  }

  #status(): ArchiveInfo {
    const names = (of: (session: Session) => string | undefined): string[] => [
      ...new Set(this.sessions.flatMap((session) => of(session) ?? [])),
    ];
    return {
      bytes: 212_000_000,
      freeBytes: 0,
      sessions: this.sessions.length,
      deleted: this.deleted.length,
      lists: this.sessions.length + this.ended.length,
      deletedLists: this.deleted.length,
      due: this.due,
      agents: names(({ agent }) => agent.name),
      projects: names(({ project }) => project),
      tags: [...new Set(this.sessions.flatMap(({ tags = [] }) => tags))],
    };
  }

  #move(sessionId: string | undefined, to: "sessions" | "deleted" | undefined): Answers["session.delete"] {
    const session = [...this.sessions, ...this.deleted].find((each) => each.sessionId === sessionId);
    if (!session) throw new Failure("SESSION_NOT_FOUND", `There is no session ${sessionId}.`);
    this.sessions = this.sessions.filter((each) => each !== session);
    this.deleted = this.deleted.filter((each) => each !== session);
    const { deletedAt: _, ...kept } = session;
    if (to === "deleted") this.deleted.push({ ...kept, deletedAt: session.lastActivityAt });
    else if (to) this.sessions = [kept, ...this.sessions];
    return {};
  }
}

function isIn({ agent, project, state, tags = [] }: Session, filter: SessionFilter): boolean {
  return (
    (filter.tag === undefined || tags.includes(filter.tag)) &&
    (filter.agent ?? agent.name) === agent.name &&
    (filter.project ?? project) === project &&
    (filter.state ?? state) === state
  );
}

/** The hit in a title, with the words marked. */
export function searchHit(session: Session, words: string, more: Partial<SearchHit> = {}): SearchHit {
  const [before = "", ...after] = session.title.split(words);
  const parts = [
    { text: before, hit: false },
    { text: words, hit: true },
    { text: after.join(words), hit: false },
  ];
  const { sessionId, revision, title } = session;
  return { sessionId, listId: sessionId, revision, title, snippet: title, parts, session, ...more };
}
