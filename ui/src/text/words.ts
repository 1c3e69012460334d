import type { EditView, Session } from "../protocol/types";
import type { Status } from "../protocol/types";
import { brief } from "./plain";
import { age, clockTime, duration } from "./time";

/** Each status in a word, for those who do not see the glyph. */
export const STATUS_WORDS: Record<Status, string> = {
  pending: "to do",
  in_progress: "in progress",
  completed: "completed",
  blocked: "blocked",
  skipped: "skipped",
  cancelled: "cancelled",
  unknown: "unknown status",
};

/** What an edit chip says: its sign, its words, and how it is coloured. */
export type EditWords = { sign: string; words: string; tone: "queued" | "told" | "against" };

/** Whether an edit took steps out, so that no row is left to show it on. */
function isRemoval(edit: EditView): boolean {
  return edit.kind === "delete" || edit.kind === "clear" || edit.kind === "load";
}

/** When an agent will next hear of what is queued, and when it was last heard itself. */
type Hearing = { when: string; last: string };

/** What `hearing` goes by. */
export type Hearer = Pick<Session, "state" | "listState" | "connected" | "current" | "lastActivityAt">;

/** When an agent will next hear of what is queued; it may be gone, and nothing is promised for it then. */
function hearing(session: Hearer, now: number): Hearing {
  const heard = age(session.lastActivityAt, now);
  if (session.state === "finished" || session.state === "failed") {
    return { when: "if it comes back", last: `last heard ${heard}` };
  }
  if (!session.connected && !session.current)
    return { when: "when it comes back", last: `last heard ${heard}` };
  if (session.listState === "never-called") return { when: "at its first call", last: `connected ${heard}` };
  return { when: "at its next call", last: `last one ${heard}` };
}

/** The same in one: `at its next call; last one 6 min ago`. */
export function hearingWords(session: Hearer, now: number): string {
  const { when, last } = hearing(session, now);
  return `${when}; ${last}`;
}

/** How far the agent of a session has taken an edit; nothing for one that needs no word. */
export function editWords(edit: EditView, session: Hearer, now: number): EditWords | undefined {
  const stays = !isRemoval(edit);
  switch (edit.state) {
    case "queued":
      return stays ? { sign: "↥", words: `heard ${hearing(session, now).when}`, tone: "queued" } : undefined;
    case "delivered":
      return stays
        ? { sign: "✓", words: `told ${clockTime(edit.deliveredAt ?? edit.at, now)}`, tone: "told" }
        : undefined;
    case "reflected":
      return stays ? { sign: "✓✓", words: "taken in", tone: "told" } : undefined;
    case "overridden":
      return { sign: "↯", words: stays ? "overridden" : "put back by the agent", tone: "against" };
    case "ignored":
      return stays ? { sign: "↯", words: "ignored so far", tone: "against" } : undefined;
    default:
      return undefined;
  }
}

/** Whether the agent went against an edit, so that the user may insist on it. */
export function isAgainst(edit: EditView): boolean {
  return edit.state === "overridden" || edit.state === "ignored";
}

/** A sentence about removed steps; with the edit, where one may insist on it. */
export type RemovalWords = { words: string; against?: EditView };

/** What became of the steps that the user removed; settled ones are not told. */
export function removalWords(edits: EditView[], session: Hearer, now: number): RemovalWords[] {
  const removals = edits.filter(isRemoval);
  const told = (state: EditView["state"], after: (newest: EditView) => string): RemovalWords[] => {
    const these = removals.filter((edit) => edit.state === state);
    const newest = these.at(-1);
    if (!newest) return [];
    const cleared = these.some((edit) => edit.kind === "clear");
    const loaded = these.some((edit) => edit.kind === "load");
    const what = loaded ? "List loaded" : cleared ? "List cleared" : `${count(these.length, "step")} removed`;
    return [{ words: `${what}, ${after(newest)}` }];
  };
  return [
    ...told("queued", () => `heard ${hearingWords(session, now)}`),
    ...told("delivered", (edit) => `told ${clockTime(edit.deliveredAt ?? edit.at, now)}`),
    ...removals.filter(isUnseen).map((edit) => ({ words: againstWords(edit), against: edit })),
  ];
}

/** Whether the agent went against a removal and no row shows it: one that put a single step back does. */
function isUnseen(edit: EditView): boolean {
  return edit.state === "ignored" || (edit.state === "overridden" && edit.uid === undefined);
}

function againstWords(edit: EditView): string {
  const what = { clear: "List cleared", load: "List loaded" }[edit.kind as string];
  const after = edit.state === "ignored" ? "the agent still lists what was removed" : "put back by the agent";
  return `${what ?? `“${brief(edit.text)}” removed`}, but ${after}`;
}

/** What a session is doing, in words that are true at `now`. */
export function stateWords(session: Session, now: number): string {
  const since = clockTime(session.lastActivityAt, now);
  switch (session.state) {
    case "running":
      return `running for ${duration(now - Date.parse(session.createdAt))}`;
    case "waiting":
      return "waiting for you";
    case "idle":
      return `idle since ${since}`;
    case "finished":
      return `finished ${age(session.lastActivityAt, now)}`;
    case "failed":
      return `failed ${age(session.lastActivityAt, now)}`;
    case "stale":
      return `stale since ${since}`;
  }
}

/** What it waits for, or why it ended. */
export function reasonOf({ state, stateReason }: Session): string | undefined {
  const isTold = (state === "waiting" || state === "failed") && stateReason !== undefined;
  return isTold ? brief(stateReason, 300) || undefined : undefined;
}

/** Why a list has nothing in it: a headline, a sentence, and whether connecting the agent would mend it. */
export type EmptyWords = { title: string; more: string; isMendable?: true };

export function emptyWords(
  session: Hearer & Pick<Session, "revision">,
  edits: EditView[],
  now: number,
): EmptyWords {
  const cleared = edits.findLast((edit) => edit.kind === "clear" && edit.state !== "superseded");
  if (cleared) {
    const heard =
      cleared.state === "queued"
        ? `The agent hears of it ${hearing(session, now).when}.`
        : "The agent was told.";
    return { title: "You cleared this list", more: heard };
  }
  switch (session.listState) {
    case "never-called":
      return {
        title: "Connected, has not used its list yet",
        more: "Its steps appear here with its first list.",
      };
    case "tool-off":
      return {
        title: "Its list is switched off",
        more: "Sightline is not connected to it either, so there is no list to show.",
        isMendable: true,
      };
    case "known-empty":
      return { title: "The list is empty", more: "The agent says that there is nothing on it." };
    default:
      return session.revision > 0
        ? { title: "The list is empty", more: "All its steps were removed." }
        : { title: "No list yet", more: "Nothing is known of its steps so far." };
  }
}

/** That the agent goes on while its list stands still: `23 calls since the list changed`. */
export function driftWords({ drifts, callsSinceList }: Session): string | undefined {
  return drifts ? `${count(callsSinceList, "call")} since the list changed` : undefined;
}

/** Whose list it is, where it is not ours: `its own list (update_plan)`. */
export function ownWords({ ownTool }: Session): string | undefined {
  if (ownTool === undefined) return undefined;
  const tool = brief(ownTool, 40);
  return tool === "" ? "its own list" : `its own list (${tool})`;
}

/** What agents are called by people, by the names that they have in requests. */
const TITLES: Readonly<Record<string, string>> = {
  claude: "Claude Code",
  codex: "Codex",
  gemini: "Gemini CLI",
  opencode: "opencode",
  qwen: "Qwen Code",
  llxprt: "llxprt",
};

/** Those that hear of changes by hooks of ours. */
const HOOKED: ReadonlySet<string> = new Set(["claude", "codex", "gemini", "qwen"]);

export function hasHooks(agent: string): boolean {
  return HOOKED.has(agent);
}

export function agentTitle(name: string): string {
  return (Object.hasOwn(TITLES, name) && TITLES[name]) || name;
}

/** `1 step`, `2 steps`. */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

/** A session's short name: where it works, else what it is about. */
export function nameOf(session: Session): string {
  return session.project || session.title || session.label || "untitled";
}
