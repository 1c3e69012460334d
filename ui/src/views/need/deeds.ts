import { goToTerminal, openWith } from "../../state/marks";
import { runName } from "../../text/runs";
import { m } from "../../paraglide/messages";
import { isBuiltIn } from "../../state/built-in";
import type { Asked } from "../../state/connecting.svelte";
import type { Editing } from "../../state/editing.svelte";
import { fetchEditings } from "../../state/editings";
import type { Gateway } from "../../state/gateway.svelte";
import type { Machine } from "../../state/machine.svelte";
import type { OnDemand } from "../../state/on-demand";
import { editOf, stepOf, type NeedEntry } from "../../state/needs";
import { AGENTS, place, PROMPT, sessionAddress, stepSelector } from "../../state/route.svelte";
import { canHear } from "../../state/runs";
import { fetched } from "../../shared/part.svelte";
import { toasts } from "../../shared/toast.svelte";
import { brief } from "../../shared/text/plain";
import { hearingWords } from "../../text/words";
import { agentTitle } from "../../state/known-agents.svelte";

/** An action that settles a need, or helps to. */
export type NeedDeed = { label: string; run: () => void | Promise<void> };

/** The parts of the state that actions use. */
export type Desk = { gateway: Gateway; onDemand: OnDemand; machine: Machine };

/** The actions that settle a need, the best first. */
export function needDeeds(desk: Desk, entry: NeedEntry): NeedDeed[] {
  const { need, run } = entry;
  if (!desk.gateway.mayEdit) return [{ label: m.needs_open_session(), run: () => openSession(entry) }];
  switch (need.kind) {
    case "permission":
    case "failed":
      return [{ label: m.needs_open_session(), run: () => openSession(entry) }];
    case "overlap": {
      const other = need.otherSessionId;
      const open = { label: m.needs_open_session(), run: () => openSession(entry) };
      if (other === undefined) return [open];
      return [open, { label: m.needs_open_other(), run: () => void (location.hash = sessionAddress(other)) }];
    }
    case "unfinished":
      return [{ label: m.needs_open_step(), run: () => openStep(entry) }];
    case "waiting": {
      // It is talked to here.
      if (isBuiltIn(run.ours.session)) {
        return [{ label: m.needs_answer(), run: () => place.go(sessionAddress(run.id), PROMPT) }];
      }
      const open = { label: m.needs_open_session(), run: () => openSession(entry) };
      const terminal = { label: m.needs_open_terminal(), run: () => openWith(desk.gateway, run, "terminal") };
      const go = { label: m.needs_go_terminal(), run: () => goToTerminal(desk.gateway, run) };
      if (run.ours.session.host !== undefined) return [open];
      return run.ours.session.folder === undefined ? [go, open] : [go, terminal, open];
    }
    case "blocked":
      return blockedDeeds(desk, entry);
    case "overridden":
    case "ignored": {
      if (entry.of.session.readOnly)
        return [{ label: m.needs_open_session(), run: () => openSession(entry) }];
      return [{ label: m.needs_insist(), run: () => insist(desk, entry) }];
    }
    case "drift": {
      if (canHear(run)) return [{ label: m.needs_ask(), run: () => askForList(desk, entry) }];
      return [{ label: m.needs_open_session(), run: () => openSession(entry) }];
    }
    case "toolOff":
      return [
        { label: m.needs_connect(), run: () => setUp(desk, entry, { change: "connect" }) },
        { label: m.needs_turn_on(), run: () => setUp(desk, entry, { change: "ownListOn" }) },
      ];
  }
}

export function openSession({ run }: NeedEntry): void {
  location.hash = sessionAddress(run.id);
}

function openStep({ run, need }: NeedEntry): void {
  if (need.uid === undefined) location.hash = sessionAddress(run.id);
  else place.go(sessionAddress(run.id), stepSelector(need.uid));
}

function blockedDeeds(desk: Desk, entry: NeedEntry): NeedDeed[] {
  const step = stepOf(entry);
  const open = { label: m.needs_open_step(), run: () => openStep(entry) };
  if (!step || entry.of.session.readOnly) return [open];
  const name = brief(step.content);
  const set = async (status: "pending" | "skipped", done: string): Promise<void> => {
    const editing = await editingOf(desk, entry.of.session.sessionId);
    if (await editing?.setStatus(step, status)) toasts.offerUndo(done, () => editing?.undoNewest());
  };
  return [
    open,
    { label: m.needs_not_blocked(), run: () => set("pending", m.needs_unblocked({ step: name })) },
    { label: m.needs_skip(), run: () => set("skipped", m.needs_skipped({ step: name })) },
  ];
}

async function editingOf({ onDemand }: Desk, sessionId: string): Promise<Editing | undefined> {
  return (await fetchEditings(onDemand))?.of(sessionId);
}

async function insist(desk: Desk, entry: NeedEntry): Promise<void> {
  const editing = await editingOf(desk, entry.of.session.sessionId);
  const { editId } = entry.need;
  if (!editing || editId === undefined) return;
  const text = editOf(entry)?.text ?? entry.need.text;
  if (await editing.insist({ editId, text })) {
    toasts.offerUndo(m.needs_insisted({ text: brief(text) }), () => editing.undoNewest());
  }
}

async function askForList(desk: Desk, { run }: NeedEntry): Promise<void> {
  const editing = await editingOf(desk, run.id);
  if (!editing) return;
  const name = brief(runName(run));
  const refused = await editing.tell(m.needs_ask_words());
  if (refused) toasts.fail(m.needs_not_asked({ name, why: refused.message }));
  else {
    const hearing = hearingWords(run.ours.session, Date.now());
    toasts.offerUndo(m.needs_asked({ name, hearing }), () => editing.undoNewest());
  }
}

/** Plans it on the agents' page, where what would change is shown before it is done. */
async function setUp({ machine }: Desk, { run }: NeedEntry, asked: Asked): Promise<void> {
  location.hash = AGENTS;
  const { name } = run.ours.session.agent;
  await machine.look();
  const setup = machine.agents?.find(({ agent }) => agent === name);
  if (setup) {
    const { connectingOf } = await fetched(() => import("../../state/connecting.svelte"));
    await connectingOf(machine, setup).plan(asked);
  } else toasts.fail(machine.failure?.message ?? m.needs_not_set_up({ agent: agentTitle(name) }));
}
