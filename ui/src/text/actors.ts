import { m } from "../paraglide/messages";
import type { Actor, RevisionView } from "../protocol/types";
import { plain } from "../shared/text/plain";

/** The gateway's name for whoever is at the window. */
const YOU = "you";

/** Somebody and the way in: `codex over MCP`, `you in the window`. */
export function actorWords({ kind, name, transport }: Actor): string {
  const named = kind === "user" && name === YOU ? m.session_you() : plain(name);
  const who = kind === "subagent" ? m.common_subagent({ name: plain(name) }) : named;
  return m.common_actor({ name: who, transport });
}

/** The change of a revision to an item, and its author: `Added by codex over MCP`. */
export function madeWords(revision: RevisionView, uid: string): string {
  const did = revision.added.includes(uid) ? "added" : revision.removed.includes(uid) ? "removed" : "changed";
  return m.common_made({ did, actor: actorWords(revision.actor) });
}
