import type { Actor, RevisionView, Transport } from "../protocol/types";
import { plain } from "./plain";

const WAYS: Record<Transport, string> = {
  window: "in the window",
  page: "in the browser",
  cli: "in a terminal",
  websocket: "over the WebSocket",
  mcp: "over MCP",
  hook: "by a hook",
  file: "in a file of its own",
};

/** The way in that somebody took: `over MCP`. */
export function wayWords(transport: Transport): string {
  return WAYS[transport];
}

/** Somebody and the way in: `codex over MCP`, `you in the window`. */
export function actorWords({ kind, name, transport }: Actor): string {
  const who = kind === "subagent" ? `${name} (subagent)` : name;
  return `${plain(who)} ${wayWords(transport)}`;
}

/** What a revision did to an item, and who: `Added by codex over MCP`. */
export function madeWords(revision: RevisionView, uid: string): string {
  const did = revision.added.includes(uid) ? "Added" : revision.removed.includes(uid) ? "Removed" : "Changed";
  return `${did} by ${actorWords(revision.actor)}`;
}
