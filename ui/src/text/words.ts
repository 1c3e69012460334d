import { inWords } from "../backend/in-words";
import { m } from "../paraglide/messages";
import type { EditView, Progress, Session, Status } from "../protocol/types";
import { isBuiltIn } from "../state/built-in";
import type { Row } from "../state/rows";
import { STATUSES, wordsOf } from "../state/steps";
import { number } from "../shared/text/numbers";
import { brief } from "../shared/text/plain";
import { age, clockTime, duration } from "../shared/text/time";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** The sign, words and colour of an edit chip. */
export type EditWords = { sign: string; words: string; tone: "queued" | "told" | "against" };

/** True if an edit took steps out, so that no row is left to show it on. */
function isRemoval(edit: EditView): boolean {
  return edit.kind === "delete" || edit.kind === "clear" || edit.kind === "load";
}

/** When an agent will next hear of what is queued; it may be gone, and nothing is promised for it then. */
type Hearing = "gone" | "away" | "first" | "next" | "step" | "rest";

/** The fields of a session that `hearing` goes by. */
export type Hearer = Pick<
  Session,
  "agent" | "ownTool" | "state" | "listState" | "connected" | "current" | "lastActivityAt"
>;

function hearing(session: Hearer): Hearing {
  // It is always there, and makes no calls while it rests.
  if (isBuiltIn(session)) return session.state === "running" || session.state === "waiting" ? "step" : "rest";
  if (session.state === "finished" || session.state === "failed") return "gone";
  if (!session.connected && !session.current) return "away";
  return session.listState === "never-called" ? "first" : "next";
}

/** When an agent will next hear of what is queued, and when it was heard: `at its next call; last one 6 min ago`. */
export function hearingWords(session: Hearer, now: number): string {
  return m.session_hearing({ when: hearing(session), age: age(session.lastActivityAt, now) });
}

/** The state of an edit with the agent of a session; nothing for one that needs no word. */
export function editWords(edit: EditView, session: Hearer, now: number): EditWords | undefined {
  const stays = !isRemoval(edit);
  switch (edit.state) {
    case "queued":
      return stays
        ? { sign: "↥", words: m.session_edit_heard({ when: hearing(session) }), tone: "queued" }
        : undefined;
    case "delivered":
      return stays ? { sign: "✓", words: toldWords(edit, now), tone: "told" } : undefined;
    case "reflected":
      return stays ? { sign: "✓✓", words: m.session_edit_reflected(), tone: "told" } : undefined;
    case "overridden":
      return {
        sign: "↯",
        words: stays ? m.session_edit_overridden() : m.session_edit_put_back(),
        tone: "against",
      };
    case "ignored":
      return stays ? { sign: "↯", words: m.session_edit_ignored(), tone: "against" } : undefined;
    default:
      return undefined;
  }
}

function toldWords(edit: EditView, now: number): string {
  return m.session_edit_told({ time: clockTime(edit.deliveredAt ?? edit.at, now) });
}

/** The time that something took, beside the minutes that it was thought to take: `3 of 30 min`. */
export function spanWords(span: number, minutes: number | undefined): string {
  if (minutes === undefined) return duration(span);
  // Of two in the same unit it is said once.
  const isShort = span >= MINUTE && span < HOUR && minutes * MINUTE < HOUR;
  const took = isShort ? number(Math.floor(span / MINUTE)) : duration(span);
  return m.session_took_of({ span: took, estimate: duration(minutes * MINUTE) });
}

/** A row in a sentence, for those who hear it: `3. Fix the parser: to do, high priority, waits for 2`. */
export function rowWords({ item, position, waitsFor }: Row): string {
  return m.session_row({
    position,
    step: brief(wordsOf(item), 200),
    status: item.statusRaw ? brief(item.statusRaw, 40) : m.common_status({ status: item.status }),
    priority: item.priority === "high" || item.priority === "low" ? item.priority : "none",
    waits: waitsFor === undefined ? "no" : "yes",
    steps: waitsFor ?? "",
  });
}

/** True if the agent went against an edit, so that the user may insist on it. */
export function isAgainst(edit: EditView): boolean {
  return edit.state === "overridden" || edit.state === "ignored";
}

/** A sentence about removed steps; with the edit, where one may insist on it. */
export type RemovalWords = { words: string; against?: EditView };

/** Sentences about the steps that the user removed; settled ones are left out. */
export function removalWords(edits: EditView[], session: Hearer, now: number): RemovalWords[] {
  const removals = edits.filter(isRemoval);
  const told = (state: EditView["state"], after: (newest: EditView) => string): RemovalWords[] => {
    const these = removals.filter((edit) => edit.state === state);
    const newest = these.at(-1);
    if (!newest) return [];
    const cleared = these.some((edit) => edit.kind === "clear");
    const loaded = these.some((edit) => edit.kind === "load");
    const what = loaded ? "loaded" : cleared ? "cleared" : "removed";
    return [{ words: m.session_removed({ what, count: these.length, became: after(newest) }) }];
  };
  return [
    ...told("queued", () => m.session_removed_heard({ hearing: hearingWords(session, now) })),
    ...told("delivered", (edit) => toldWords(edit, now)),
    ...removals.filter(isUnseen).map((edit) => ({ words: againstWords(edit), against: edit })),
  ];
}

/** True if the agent went against a removal and no row shows it: one that put a single step back does. */
function isUnseen(edit: EditView): boolean {
  return edit.state === "ignored" || (edit.state === "overridden" && edit.uid === undefined);
}

function againstWords(edit: EditView): string {
  const what = edit.kind === "clear" ? "cleared" : edit.kind === "load" ? "loaded" : "step";
  const removal = { what, step: brief(edit.text) } as const;
  return edit.state === "ignored"
    ? m.session_removed_ignored(removal)
    : m.session_removed_overridden(removal);
}

/** The activity of a session, in words that are true at `now`. */
export function stateWords(session: Session, now: number): string {
  return m.common_state({
    state: session.state,
    span: duration(now - Date.parse(session.createdAt)),
    time: clockTime(session.lastActivityAt, now),
    age: age(session.lastActivityAt, now),
  });
}

/** The same, and for how long it has waited for the user. */
export function heroWords(session: Session, now: number): string {
  if (session.state !== "waiting") return stateWords(session, now);
  return m.session_waiting_for({ span: duration(now - Date.parse(session.stateAt)) });
}

/** The end of a folder's path, which tells it from others. */
export function folderTail(folder: string): string {
  const parts = folder.split(/[/\\]/).filter((part) => part !== "");
  return parts.length > 2 ? `…/${parts.slice(-2).join("/")}` : folder;
}

/** The reason why it waits or has ended. */
export function reasonOf({ state, stateReason, stateReasonText }: Session): string | undefined {
  const isTold = (state === "waiting" || state === "failed") && stateReason !== undefined;
  return isTold ? brief(inWords(stateReason, stateReasonText), 300) || undefined : undefined;
}

/** Why a list has nothing in it: a headline, a sentence, and whether connecting the agent would mend it. */
export type EmptyWords = { title: string; more?: string; isMendable?: true };

export function emptyWords(session: Hearer, edits: EditView[]): EmptyWords {
  const cleared = clearingOf(edits);
  if (cleared) {
    const heard =
      cleared.state === "queued" ? m.session_hears({ when: hearing(session) }) : m.session_was_told();
    return { title: m.session_cleared(), more: heard };
  }
  switch (session.listState) {
    case "never-called":
      // It has a list where its task needs one.
      if (isBuiltIn(session)) return { title: m.chat_list_none(), more: m.chat_list_none_more() };
      return {
        title: m.session_never_called(),
        more: m.session_never_called_more(),
      };
    case "tool-off":
      return {
        title: m.session_tool_off(),
        more: m.session_tool_off_more(),
        isMendable: true,
      };
    case "known-empty":
      return { title: m.session_empty() };
    default:
      return { title: m.session_no_list() };
  }
}

/** The edit by which the user emptied a list. */
export function clearingOf(edits: EditView[]): EditView | undefined {
  return edits.findLast((edit) => edit.kind === "clear" && edit.state !== "superseded");
}

/** The way for the user to fill an empty list; nothing where that has to be mended otherwise. */
export function emptyDeedWords(session: Hearer): string | undefined {
  return session.listState === "tool-off" ? undefined : m.session_empty_add({ when: hearing(session) });
}

/** That the agent goes on while its list stands still: `23 calls since the list changed`. */
export function driftWords({ drifts, callsSinceList }: Session): string | undefined {
  return drifts ? m.common_calls_since({ count: callsSinceList }) : undefined;
}

/** The name of a list that is not ours: `its own list (update_plan)`. */
export function ownWords({ ownTool }: Session): string | undefined {
  if (ownTool === undefined) return undefined;
  const tool = brief(ownTool, 40);
  return tool === "" ? m.common_own_list() : m.common_own_list_of({ tool });
}

/** The same as a heading. */
export function ownTitle({ ownTool = "" }: Session): string {
  const tool = brief(ownTool, 40);
  return tool === "" ? m.common_its_own_list() : m.common_its_own_list_of({ tool });
}

/** The progress of a list: `3 of 8`. */
export function progressWords({ completed, total }: Progress): string {
  return m.common_progress({ done: number(completed), total: number(total) });
}

/** A session's short name: where it works, else what it is about. */
export function nameOf(session: Session): string {
  return session.project || session.title || session.label || m.common_untitled();
}

/** The status that the user's edit gives a step; nothing where it changes something else. */
export function statusOf({ detailText }: EditView): Status | undefined {
  if (detailText?.name !== "change_status") return undefined;
  return STATUSES.find((status) => status === detailText.params?.["status"]);
}
