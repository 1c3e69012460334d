import { byName, inWords } from "../backend/in-words";
import { m } from "../paraglide/messages";
import type { EditKind, EditView, Item } from "../protocol/types";
import { runName } from "./runs";
import { editOf, stepOf, type NeedEntry } from "../state/needs";
import { brief } from "../shared/text/plain";
import { driftWords, statusOf } from "./words";
import { agentTitle } from "../state/known-agents.svelte";

/** The words of an entry: the session that it belongs to, its subject, and more about that. */
export type NeedWords = { who: string; what: string; more: string | undefined };

export function needWords(entry: NeedEntry): NeedWords {
  return { who: whoWords(entry), what: whatWords(entry), more: moreWords(entry) };
}

/** The colour of an entry; its words say the same. */
export function needTone({ need }: NeedEntry): "needs" | "fail" | "quiet" {
  if (need.kind === "toolOff") return "quiet";
  return need.kind === "overridden" || need.kind === "ignored" || need.kind === "failed" ? "fail" : "needs";
}

/** Several at once in one sentence. */
export function newsWords(fresh: NeedEntry[]): string {
  const [only] = fresh;
  if (!only || fresh.length > 1) return m.needs_news({ count: fresh.length });
  return m.needs_news_one({ who: whoWords(only), what: whatWords(only) });
}

function whoWords({ need, run }: NeedEntry): string {
  const { agent, branch } = run.known.session;
  if (need.kind === "toolOff") return agentTitle(agent.name);
  return [agent.name, brief(runName(run), 80), branch].filter(Boolean).join(" · ");
}

function whatWords(entry: NeedEntry): string {
  const { need, of } = entry;
  const text = brief(inWords(need.text, need.words), 300);
  switch (need.kind) {
    case "permission":
      return text === "" ? m.needs_permission_unknown() : m.needs_permission({ what: text });
    case "failed":
      return text === "" ? m.needs_failed() : m.needs_failed_why({ why: text });
    case "unfinished":
      return m.needs_unfinished({ step: text });
    case "waiting":
      return text === "" ? m.needs_waiting() : m.needs_waiting_for({ why: text });
    case "blocked":
      return m.needs_blocked({ step: text });
    case "overridden":
    case "ignored":
      return wantedWords(text, editOf(entry));
    case "overlap":
      return m.needs_overlap({ file: text });
    case "drift":
      return driftWords(of.session) ?? m.needs_drift();
    case "toolOff":
      return m.needs_tool_off();
  }
}

function moreWords(entry: NeedEntry): string | undefined {
  const { need, run, runs } = entry;
  const agent = run.known.session.agent.name;
  switch (need.kind) {
    case "permission":
    case "drift":
      return undefined;
    case "failed":
    case "unfinished":
    case "waiting":
      return brief(run.known.session.title, 300) || undefined;
    case "blocked":
      return brief(stepOf(entry)?.reason ?? "", 300) || undefined;
    case "overridden":
      return overriddenWords(agent, editOf(entry), stepOf(entry));
    case "ignored":
      return m.needs_did({ did: "ignored", agent });
    case "overlap":
      return m.needs_overlap_more();
    case "toolOff":
      return m.needs_tool_off_more({ count: runs.length });
  }
}

function wantedWords(told: string, edit: EditView | undefined): string {
  if (!edit) return m.needs_wanted({ kind: "unknown", text: told, detail: "" });
  const text = brief(edit.text, 160);
  const detail = brief(byName(edit.detail ?? "", edit.detailText), 160);
  const { kind } = edit;
  const status = statusOf(edit);
  if (status) return m.needs_wanted({ kind: "setStatus", text, detail: m.common_status({ status }) });
  if (detail !== "" && (kind === "set" || kind === "move"))
    return m.needs_wanted({ kind: `${kind}To`, text, detail });
  return m.needs_wanted({ kind, text, detail });
}

const DONE: Record<EditKind, "restored" | "removed" | "changed" | "moved" | "overridden"> = {
  add: "removed",
  delete: "restored",
  clear: "restored",
  load: "overridden",
  set: "changed",
  move: "moved",
  note: "overridden",
};

function overriddenWords(agent: string, edit: EditView | undefined, step: Item | undefined): string {
  const did = m.needs_did({ did: edit ? DONE[edit.kind] : "overridden", agent });
  if (edit?.kind !== "set" || !step) return did;
  return m.needs_now_status({ did, status: m.common_status({ status: step.status }) });
}
