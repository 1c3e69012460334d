import { m } from "../paraglide/messages";
import type { Actor, RevisionView } from "../protocol/types";
import { plain } from "./plain";

/** Somebody and the way in: `codex over MCP`, `you in the window`. */
export function actorWords({ kind, name, transport }: Actor): string {
  const who = kind === "subagent" ? m.common_subagent({ name: plain(name) }) : plain(name);
  return m.common_actor({ name: who, transport });
}

/** What a revision did to an item, and who: `Added by codex over MCP`. */
export function madeWords(revision: RevisionView, uid: string): string {
  const did = revision.added.includes(uid) ? "added" : revision.removed.includes(uid) ? "removed" : "changed";
  return m.common_made({ did, actor: actorWords(revision.actor) });
}
