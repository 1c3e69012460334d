import type { SessionState } from "../protocol/types";
import { STATES } from "./asked";
import type { Run } from "./runs";

/** The filter of the board; it stands in the address. */
export type BoardAsked = {
  /** The text that is searched for. */
  q: string;
  agent?: string;
  project?: string;
  tag?: string;
  state?: SessionState;
};

const BOARD = "#/";
export const WHOLE_BOARD: BoardAsked = { q: "" };

export function readBoard(query: string): BoardAsked {
  const fields = new URLSearchParams(query);
  const [agent, project, tag] = ["agent", "project", "tag"].map((name) => fields.get(name));
  const state = STATES.find((each) => each === fields.get("state"));
  return {
    q: fields.get("q") ?? "",
    ...(agent && { agent }),
    ...(project && { project }),
    ...(tag && { tag }),
    ...(state && { state }),
  };
}

export function boardAddress(asked: BoardAsked): string {
  const fields = new URLSearchParams();
  for (const [name, value] of Object.entries(asked)) {
    if (value !== undefined && value !== "") fields.set(name, value);
  }
  const query = fields.toString();
  return query === "" ? BOARD : `${BOARD}?${query}`;
}

/** True if a run passes the filter: by itself, or since one of its subagents does. */
export function passes(run: Run, asked: BoardAsked): boolean {
  return isAsked(run, asked) || run.children.some((child) => passes(child, asked));
}

function isAsked(run: Run, asked: BoardAsked): boolean {
  const { agent, project, state } = run.known.session;
  const { tags = [] } = run.ours.session;
  return (
    (asked.agent === undefined || agent.name === asked.agent) &&
    (asked.project === undefined || project === asked.project) &&
    (asked.state === undefined || state === asked.state) &&
    (asked.tag === undefined || tags.includes(asked.tag)) &&
    hasWords(run, asked.q)
  );
}

/** All words have to be there, in what the session and its list say. */
function hasWords(run: Run, q: string): boolean {
  const words = fold(q).split(/\s+/).filter(Boolean);
  if (words.length === 0) return true;
  const { session, todos } = run.known;
  const tags = (run.ours.session.tags ?? []).map((tag) => `#${tag}`);
  const steps = todos.flatMap((item) => [item].concat(item.subtasks ?? [])).map(({ content }) => content);
  const { title, agent, project, folder, branch, label } = session;
  const texts = [title, agent.name, project, folder, branch, label].concat(tags, steps);
  const said = fold(texts.filter(Boolean).join("\n"));
  return words.every((word) => said.includes(word));
}

/** Without accents and case, as the archive searches. */
function fold(text: string): string {
  return text
    .normalize("NFD")
    .replaceAll(/\p{Mn}/gu, "")
    .toLowerCase();
}
