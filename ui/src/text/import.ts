import type { ImportProgress } from "../protocol/types";
import { agentTitle, count } from "./words";

/** How far an import is: `Codex, 120 of 840 transcripts, 31 new lists`. */
export function importWords({ agent, read, total, lists }: ImportProgress): string {
  const whose = agent === undefined ? [] : [agentTitle(agent)];
  return [...whose, `${read} of ${count(total, "transcript")}`, count(lists, "new list")].join(", ");
}

/** What came of an import. */
export function importedWords({ read, total, runs, lists, cancelled }: ImportProgress): string {
  if (total === 0) return "There are no transcripts here.";
  const seen = cancelled
    ? `Stopped after ${read} of ${count(total, "transcript")}`
    : `${count(read, "transcript")} read`;
  const found = lists > 0 ? count(lists, "new list") : "nothing new";
  return `${seen}: ${count(runs, "run")} with a list, ${found}.`;
}
