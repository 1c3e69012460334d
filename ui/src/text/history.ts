import type { Heading, Line } from "../state/arrange";
import { formatLocale } from "../shared/text/locale";
import { m } from "../paraglide/messages";
import type { Session } from "../protocol/types";
import { brief } from "../shared/text/plain";
import { age, duration } from "../shared/text/time";
import { progressWords, stateWords } from "./words";
import { agentTitle } from "../state/known-agents.svelte";

const DAY = new Intl.DateTimeFormat(formatLocale, { weekday: "long", day: "numeric", month: "long" });
const DAY_OF_YEAR = new Intl.DateTimeFormat(formatLocale, {
  weekday: "short",
  day: "numeric",
  month: "long",
  year: "numeric",
});
const DATE = new Intl.DateTimeFormat(formatLocale, { day: "numeric", month: "short" });
const DATE_OF_YEAR = new Intl.DateTimeFormat(formatLocale, { dateStyle: "medium" });
const TIME = new Intl.DateTimeFormat(formatLocale, { timeStyle: "short" });

/** A day that has a name of its own. */
export function relativeDay(at: string | number, now: number): string | undefined {
  const day = new Date(at).toDateString();
  if (day === new Date(now).toDateString()) return m.history_today();
  const yesterday = new Date(now);
  yesterday.setDate(yesterday.getDate() - 1);
  return day === yesterday.toDateString() ? m.history_yesterday() : undefined;
}

/** A day as people call it: `Today`, `Thursday 19 November`, `Sat, 4 January 2025`. */
export function dayWords(at: string, now: number): string {
  const day = new Date(at);
  const isThisYear = day.getFullYear() === new Date(now).getFullYear();
  return relativeDay(at, now) ?? (isThisYear ? DAY : DAY_OF_YEAR).format(day);
}

export function headingWords(heading: Heading, now: number): string {
  switch (heading.is) {
    case "current":
      return m.history_current();
    case "day":
      return dayWords(heading.at, now);
    case "titles":
      return m.history_in_titles();
    case "steps":
      return m.history_in_steps();
  }
}

/** When a session was heard of last, where its day stands over it already or not. */
export function whenWords({ session, found }: Line, now: number): string {
  if (session.deletedAt !== undefined) return m.history_deleted_at({ age: age(session.deletedAt, now) });
  if (session.current && found) return m.history_is_current();
  const at = session.lastActivityAt;
  const day = new Date(at);
  const today = new Date(now);
  if (session.current || day.toDateString() === today.toDateString()) return age(at, now);
  if (!found) return TIME.format(day);
  return (day.getFullYear() === today.getFullYear() ? DATE : DATE_OF_YEAR).format(day);
}

/** The subject of a session: the prompt, else its name. */
export function aboutWords({ title, label }: Session): string {
  return title || label || m.common_untitled();
}

/** From its beginning to when it was heard of last. */
export function spanOf({ createdAt, lastActivityAt }: Session): string {
  return duration(Date.parse(lastActivityAt) - Date.parse(createdAt));
}

/** A line as its link is called. */
export function lineLabel({ session, found }: Line, now: number): string {
  const of = {
    agent: agentTitle(session.agent.name),
    project: session.project ?? m.history_no_project(),
    title: brief(aboutWords(session), 120),
    progress: session.progress.total === 0 ? m.history_no_steps() : progressWords(session.progress),
  };
  if (found) return m.history_hit({ ...of, snippet: brief(found.snippet, 200) });
  return m.history_line({ ...of, state: stateWords(session, now) });
}
