import { toFailure } from "../../backend/backend";
import { m } from "../../paraglide/messages";
import { download } from "../../shared/download";
import { brief } from "../../shared/text/plain";
import { toasts } from "../../shared/toast.svelte";
import type { Gateway } from "../../state/gateway.svelte";
import { NOW } from "../../state/route.svelte";
import type { Run } from "../../state/runs";
import { runName } from "../../text/runs";

type Deed = { label: string; isGrave?: boolean; run: () => void };

/** Actions on a session that its page has, besides those of its card. */
export function sessionDeeds(gateway: Gateway, run: Run, rename: () => void): Deed[][] {
  const exports: Deed[] = [
    { label: m.session_export_json(), run: () => void exportSession(gateway, run, "json") },
    { label: m.session_export_markdown(), run: () => void exportSession(gateway, run, "markdown") },
  ];
  if (!gateway.mayEdit) return [exports];
  return [
    [{ label: m.session_rename(), run: rename }, ...exports],
    [{ label: m.session_delete_all(), isGrave: true, run: () => void deleteSession(gateway, run) }],
  ];
}

/** With all its lists as JSON; as Markdown the list that stands for it. */
async function exportSession(gateway: Gateway, run: Run, format: "json" | "markdown"): Promise<void> {
  const sessionId = format === "json" ? run.id : run.listId;
  try {
    const { text } = await gateway.call("session.export", { sessionId, format });
    const [type, ending] = format === "json" ? ["application/json", "json"] : ["text/markdown", "md"];
    const file = `sightline-${new Date().toISOString().slice(0, 10)}.${ending}`;
    download(text, type, file);
    toasts.show({ text: m.session_exported({ file }), tone: "plain" });
  } catch (thrown) {
    toasts.fail(m.session_not_exported({ why: toFailure(thrown).message }));
  }
}

/** Deletes a session so that it can be brought back, and leaves its page. */
async function deleteSession(gateway: Gateway, run: Run): Promise<void> {
  const { id: sessionId } = run;
  const session = brief(runName(run));
  try {
    await gateway.call("session.delete", { sessionId });
    location.hash = NOW;
    toasts.offerUndo(m.session_deleted({ session }), () => void undelete(gateway, sessionId, session));
  } catch (thrown) {
    toasts.fail(m.session_not_deleted({ session, why: toFailure(thrown).message }));
  }
}

async function undelete(gateway: Gateway, sessionId: string, session: string): Promise<void> {
  try {
    await gateway.call("session.undelete", { sessionId });
    toasts.show({ text: m.session_undeleted({ session }), tone: "plain" });
  } catch (thrown) {
    toasts.fail(m.session_not_undeleted({ session, why: toFailure(thrown).message }));
  }
}
