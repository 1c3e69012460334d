import { m } from "../paraglide/messages";
import type { ImportProgress } from "../protocol/types";
import { inRow } from "../shared/text/enumerate";
import { number } from "../shared/text/numbers";
import { agentTitle } from "../state/known-agents.svelte";

/** The progress of an import: `Codex, 120 of 840 transcripts, 31 new lists`. */
export function importWords({ agent, read, total, lists }: ImportProgress): string {
  return inRow([
    ...(agent === undefined ? [] : [agentTitle(agent)]),
    m.agents_transcripts_of({ read: number(read), count: total }),
    m.agents_new_lists({ count: lists }),
  ]);
}

/** The outcome of an import. */
export function importedWords({ read, total, runs, lists, cancelled }: ImportProgress): string {
  if (total === 0) return m.agents_no_transcripts();
  const seen = cancelled
    ? m.agents_stopped_after({ read: number(read), count: total })
    : m.agents_transcripts_read({ count: read });
  const found = lists > 0 ? m.agents_new_lists({ count: lists }) : m.agents_no_new_lists();
  return m.agents_imported({ seen, found: inRow([m.agents_runs({ count: runs }), found]) });
}
