import { toFailure } from "../backend/backend";
import { inWords } from "../backend/in-words";
import { folderHere, runName } from "../text/runs";
import { m } from "../paraglide/messages";
import { copyAnswer } from "../shared/clipboard";
import type { OpenWith, SessionMark } from "../protocol/types";
import { brief } from "../shared/text/plain";
import { isBuiltIn } from "./built-in";
import type { Gateway } from "./gateway.svelte";
import { live } from "../shared/live.svelte";
import type { Run } from "./runs";
import { toasts } from "../shared/toast.svelte";
import { tagging } from "./tagging.svelte";

/** An action on a run as a whole; `key` does it where its card has the focus. */
export type RunDeed = { key: string; label: string; run: () => void };

const PLACES: readonly [key: string, how: OpenWith, label: () => string][] = [
  ["o", "folder", () => m.now_open_folder()],
  ["t", "terminal", () => m.now_open_terminal()],
  ["e", "editor", () => m.now_open_editor()],
];

/** All of them, in groups. */
export function runDeeds(gateway: Gateway, run: Run): RunDeed[][] {
  const { pinned, muted, shared, label, state, host, folder, opens = [] } = run.ours.session;
  const isHere = host === undefined;
  const rests = state !== "running" && state !== "waiting";
  const marks: (RunDeed | false)[] = [
    pinned
      ? { key: "p", label: m.now_unpin(), run: () => void pin(gateway, run, false) }
      : { key: "p", label: m.now_pin(), run: () => void pin(gateway, run, true) },
    muted
      ? { key: "m", label: m.now_unmute(), run: () => void mute(gateway, run, false) }
      : { key: "m", label: m.now_mute(), run: () => void mute(gateway, run, true) },
    { key: "h", label: m.order_edit_tags(), run: () => (tagging.runId = run.id) },
    label !== undefined &&
      isHere &&
      (shared
        ? { key: "l", label: m.now_unshare(), run: () => void share(gateway, run, false) }
        : { key: "l", label: m.now_share(), run: () => void share(gateway, run, true) }),
    rests && { key: "x", label: m.now_dismiss(), run: () => void dismiss(gateway, run) },
  ];
  const places =
    folder === undefined
      ? []
      : PLACES.filter(([, how]) => isHere || opens.includes(how)).map(([key, how, words]) => {
          return { key, label: words(), run: () => void openWith(gateway, run, how) };
        });
  // The built-in agent runs in no terminal, and the terminals of another machine are there.
  if (isHere && !isBuiltIn(run.ours.session)) {
    places.unshift({ key: "w", label: m.now_go_terminal(), run: () => void goToTerminal(gateway, run) });
  }
  const copies: (RunDeed | false)[] = [
    // The built-in agent goes on in its conversation, and nowhere else.
    !run.parent &&
      isHere &&
      !isBuiltIn(run.ours.session) && {
        key: "c",
        label: m.now_copy_resume(),
        run: () => void copyResume(gateway, run),
      },
    { key: "k", label: m.now_copy_list(), run: () => void copyList(gateway, run) },
  ];
  const groups = gateway.mayEdit ? [marks, places, copies] : [copies];
  return groups.map((group) => group.filter((deed) => deed !== false)).filter((group) => group.length > 0);
}

/** Opens where a run is at work. */
export async function openWith(gateway: Gateway, run: Run, how: OpenWith): Promise<void> {
  try {
    await gateway.call("session.open", { sessionId: run.id, with: how });
    live.say(m.now_opened({ how }));
  } catch (thrown) {
    toasts.fail(m.now_not_opened({ how, why: toFailure(thrown).message }));
  }
}

/** Opens a file that a run has changed, or shows what has changed in it. */
export async function openFile(
  gateway: Gateway,
  run: Run,
  how: "editor" | "diff",
  file: string,
): Promise<void> {
  const sessionId = run.ours.session.sessionId;
  try {
    await gateway.call("session.open", { sessionId, with: how, file });
    live.say(m.now_opened({ how }));
  } catch (thrown) {
    toasts.fail(m.now_not_opened({ how, why: toFailure(thrown).message }));
  }
}

/** Brings the terminal to the front that a run's agent is in; where that cannot be, says why and offers a new one. */
export async function goToTerminal(gateway: Gateway, run: Run): Promise<void> {
  try {
    const answer = await gateway.call("session.raise", { sessionId: run.id });
    const raised = inWords(answer.raised, answer.raisedText);
    if (answer.note === undefined) live.say(m.now_went({ raised }));
    else {
      const why = inWords(answer.note, answer.noteText);
      toasts.show({ text: m.now_went_partly({ raised, why }), tone: "plain" });
    }
  } catch (thrown) {
    const action = {
      label: m.needs_open_terminal(),
      run: () => void openWith(gateway, run, "terminal"),
    };
    const text = m.now_not_went({ why: toFailure(thrown).message });
    toasts.show({ text, tone: "failed", ...(folderHere(run.ours.session) !== undefined && { action }) });
  }
}

async function pin(gateway: Gateway, run: Run, pinned: boolean): Promise<void> {
  const name = nameFor(run);
  if (await mark(gateway, run, { pinned }))
    live.say(pinned ? m.now_pinned({ name }) : m.now_unpinned({ name }));
}

async function mute(gateway: Gateway, run: Run, muted: boolean): Promise<void> {
  if (!(await mark(gateway, run, { muted }))) return;
  const name = nameFor(run);
  const text = muted ? m.now_muted({ name }) : m.now_unmuted({ name });
  toasts.offerUndo(text, () => void mark(gateway, run, { muted: !muted }));
}

async function share(gateway: Gateway, run: Run, shared: boolean): Promise<void> {
  if (!(await mark(gateway, run, { shared }))) return;
  const { label = "" } = run.ours.session;
  const text = shared ? m.now_shared({ label }) : m.now_unshared({ label });
  toasts.offerUndo(text, () => void mark(gateway, run, { shared: !shared }));
}

async function dismiss(gateway: Gateway, run: Run): Promise<void> {
  if (!(await mark(gateway, run, { dismissed: true }))) return;
  toasts.offerUndo(
    m.now_dismissed({ name: nameFor(run) }),
    () => void mark(gateway, run, { dismissed: false }),
  );
}

/** False where it was refused, which is told. */
async function mark(gateway: Gateway, run: Run, marks: Omit<SessionMark, "sessionId">): Promise<boolean> {
  try {
    await gateway.call("session.mark", { sessionId: run.id, ...marks });
    return true;
  } catch (thrown) {
    toasts.fail(m.now_not_marked({ name: nameFor(run), why: toFailure(thrown).message }));
    return false;
  }
}

async function copyResume(gateway: Gateway, run: Run): Promise<void> {
  const asked = gateway.call("session.resume", { sessionId: run.id }).then(({ command }) => command);
  await copy(asked, m.now_resume_copied());
}

export async function copyList(gateway: Gateway, run: Run): Promise<void> {
  const { listId: sessionId } = run;
  const asked = gateway.call("session.export", { sessionId, format: "markdown" }).then(({ text }) => text);
  await copy(asked, m.now_list_copied({ name: nameFor(run) }));
}

async function copy(text: Promise<string>, copied: string): Promise<void> {
  try {
    if (await copyAnswer(text)) toasts.show({ text: copied, tone: "plain" });
    else toasts.fail(m.now_not_copied());
  } catch (thrown) {
    toasts.fail(m.now_nothing_to_copy({ why: toFailure(thrown).message }));
  }
}

function nameFor(run: Run): string {
  return brief(runName(run));
}
