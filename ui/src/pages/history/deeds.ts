import { toFailure } from "../../backend/backend";
import { m } from "../../paraglide/messages";
import type { ExportFormat } from "../../protocol/types";
import type { Gateway } from "../../state/gateway.svelte";
import { download } from "../../shared/download";
import { toasts } from "../../shared/toast.svelte";
import { number } from "../../shared/text/numbers";
import type { Line } from "../../state/arrange";

/** As many as the gateway writes at once. */
const MOST = 1_000;

const KINDS: Record<ExportFormat, { type: string; ending: string }> = {
  json: { type: "application/json", ending: "json" },
  markdown: { type: "text/markdown", ending: "md" },
  training: { type: "application/jsonl", ending: "jsonl" },
};

/** Writes lists into a file of the user's: as Markdown each by itself, else their sessions with all their lists. */
export async function exportLists(gateway: Gateway, lines: Line[], format: ExportFormat): Promise<void> {
  const isEach = format === "markdown" && lines.some(({ ended }) => ended);
  const sessions = isEach ? [] : [...new Set(lines.map(({ session }) => session.sessionId))];
  if (lines.length === 0) return;
  if (Math.max(sessions.length, isEach ? lines.length : 0) > MOST) {
    toasts.fail(m.history_too_many({ most: number(MOST) }));
    return;
  }
  const one = ({ session: { sessionId }, ended }: Line) =>
    gateway.call("session.export", { sessionId, format, ...(ended && { revision: ended.revision }) });
  try {
    const [sessionId = "", ...and] = sessions;
    const exported = isEach
      ? await Promise.all(lines.map(one))
      : [await gateway.call("session.export", { sessionId, and, format })];
    const text = exported.map((answer) => answer.text).join("\n");
    const leftOut = exported.flatMap((answer) => answer.leftOut ?? []);
    const { type, ending } = KINDS[format];
    const file = `sightline-${new Date().toISOString().slice(0, 10)}.${ending}`;
    download(text, type, file);
    // Each line begins with its session's id.
    const count = new Set(leftOut.map((line) => line.split(":")[0])).size;
    const words = count === 0 ? m.history_exported({ file }) : m.history_exported_without({ file, count });
    toasts.show({ text: words, tone: "plain" });
  } catch (thrown) {
    toasts.fail(m.history_not_exported({ why: toFailure(thrown).message }));
  }
}

/** Deletes lists so that they can be brought back; `after` hears which are gone, and then which are back. */
export async function deleteLists(
  gateway: Gateway,
  lines: Line[],
  after: (changed: string[], areBack: boolean) => void,
): Promise<void> {
  // A present list goes with its session where it is the only one that is left.
  const ids = lines.toSorted((a, b) => Number(!a.ended) - Number(!b.ended)).map(({ listId }) => listId);
  const done = await askForEach(ids, (listId) => gateway.call("list.delete", { listId }), {
    after: (gone) => after(gone, false),
    refused: m.history_not_deleted,
  });
  if (!done) return;
  const undo = (): void => void restoreLists(gateway, done, (back) => after(back, true));
  toasts.offerUndo(m.history_deleted_done({ count: done.length }), undo);
}

export async function restoreLists(
  gateway: Gateway,
  ids: string[],
  after: (back: string[]) => void,
): Promise<void> {
  const ask = (listId: string) => gateway.call("list.undelete", { listId });
  const done = await askForEach(ids, ask, { after, refused: m.history_not_back });
  if (done) toasts.show({ text: m.history_back({ count: done.length }), tone: "plain" });
}

export async function deleteForGood(
  gateway: Gateway,
  ids: string[],
  after: (gone: string[]) => void,
): Promise<void> {
  const ask = (listId: string) => gateway.call("list.delete", { listId, forGood: true });
  const done = await askForEach(ids, ask, { after, refused: m.history_not_deleted });
  if (done) toasts.show({ text: m.history_for_good_done({ count: done.length }), tone: "plain" });
}

type AfterEach = { after: (done: string[]) => void; refused: (inputs: { why: string }) => string };

/** Asks for each, and tells `after` which were done; gives them where all were, else says why the first was not. */
async function askForEach(
  ids: string[],
  ask: (id: string) => Promise<unknown>,
  { after, refused }: AfterEach,
): Promise<string[] | undefined> {
  const outcomes = await Promise.allSettled(ids.map(ask));
  const failed = outcomes.find((outcome) => outcome.status === "rejected");
  const done = ids.filter((_, index) => outcomes[index]?.status === "fulfilled");
  after(done);
  if (!failed) return done;
  toasts.fail(refused({ why: toFailure(failed.reason).message }));
  return undefined;
}
