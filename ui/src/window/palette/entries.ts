import { chordWords } from "../../views/keys/chords";
import { chordsFor, chordsOf, table } from "../../views/keys/table";
import { runAside, runName } from "../../text/runs";
import { m } from "../../paraglide/messages";
import type { Item } from "../../protocol/types";
import type { ActionId, Actions } from "../../state/actions.svelte";
import type { Gateway } from "../../state/gateway.svelte";
import { density, theme } from "../../state/look.svelte";
import { runDeeds } from "../../state/marks";
import { place, sessionAddress, stepSelector } from "../../state/route.svelte";
import type { Run } from "../../state/runs";
import { wordsOf } from "../../state/steps";
import { brief, plain } from "../../shared/text/plain";

/** Something that the palette finds and goes to, or does. */
export type Entry = {
  key: string;
  label: string;
  /** Tells it from others. */
  detail: string;
  /** Its key, as it is written on this machine. */
  chord?: string | undefined;
  /** The sign before it. */
  sign: { is: "page" | "action" } | { is: "session"; run: Run } | { is: "step"; item: Item };
  take: () => void;
};

/** In the palette nobody goes to the palette. */
const LEFT_OUT = new Set<ActionId>(["palette"]);
const ABOUT_RUN = new Set<ActionId>(["new-step", "tell", "copy-markdown"]);
const PAGES = new Set<ActionId>(["now", "needs", "history", "agents", "settings", "chat", "compact"]);

const LETTERS = 240;

type World = { gateway: Gateway; actions: Actions; isDesktop: boolean; about: Run | undefined };

/** Everything there is to find: pages and actions, then sessions, then the steps of those that are current. */
export function entriesOf(world: World): Entry[] {
  const { gateway } = world;
  const runs = gateway.order.toSorted(
    (a, b) => Number(b.known.session.current) - Number(a.known.session.current),
  );
  return [
    ...tableEntries(world),
    ...(gateway.mayEdit ? [newListEntry(world)] : []),
    ...lookEntries(world),
    ...runs.map(sessionEntry),
    ...runs.filter(({ known }) => known.session.current).flatMap(stepEntries),
  ];
}

function newListEntry({ actions }: World): Entry {
  return {
    key: "action new-list",
    label: m.now_new_list(),
    detail: "",
    sign: { is: "action" },
    take: () => actions.run("new-list"),
  };
}

/** The actions of the table of keys, and those of the session that is meant. */
function tableEntries(world: World): Entry[] {
  const { actions, isDesktop, about, gateway } = world;
  const groups = table().filter((group) => isDesktop || !group.isDesktop);
  const bound = groups.flatMap(({ bindings }) =>
    bindings.flatMap((binding): Entry[] => {
      const { action } = binding;
      if (action === undefined || LEFT_OUT.has(action)) return [];
      if (action === "chat" && !gateway.mayEdit) return [];
      const isAboutRun = ABOUT_RUN.has(action);
      if (isAboutRun && (!about || about.known.session.readOnly)) return [];
      const chord = chordsOf(binding, isDesktop)[0];
      return [
        {
          key: `action ${action}`,
          label: binding.words(),
          detail: isAboutRun && about ? brief(runName(about)) : "",
          chord: chord && chordWords(chord),
          sign: { is: PAGES.has(action) ? "page" : "action" },
          take: () => actions.run(action, about),
        },
      ];
    }),
  );
  if (!about) return bound;
  const detail = brief(runName(about));
  const canClear = !about.known.session.readOnly && about.known.todos.length > 0;
  const clear: Entry = {
    key: "action clear",
    label: m.command_clear(),
    detail,
    sign: { is: "action" },
    take: () => actions.run("clear", about),
  };
  const copy = chordsFor("copy-markdown", isDesktop).length > 0 ? m.now_copy_list() : undefined;
  const deeds = runDeeds(gateway, about)
    .flat()
    .filter(({ label }) => label !== copy)
    .map(({ label, run }): Entry => ({
      key: `deed ${label}`,
      label,
      detail,
      sign: { is: "action" },
      take: run,
    }));
  return [...bound, ...(canClear ? [clear] : []), ...deeds];
}

function lookEntries({ actions }: World): Entry[] {
  const entry = (action: ActionId, label: string, detail: string): Entry => ({
    key: `action ${action}`,
    label,
    detail,
    sign: { is: "action" },
    take: () => actions.run(action),
  });
  return [
    ...theme.options
      .filter((option) => option !== theme.chosen)
      .map((option) => entry(`theme-${option}`, m.command_theme({ theme: option }), m.settings_theme())),
    ...density.options
      .filter((option) => option !== density.chosen)
      .map((option) =>
        entry(`density-${option}`, m.command_density({ density: option }), m.settings_density()),
      ),
  ];
}

function sessionEntry(run: Run): Entry {
  return {
    key: `session ${run.id}`,
    label: brief(runName(run), 80),
    detail: brief(runAside(run), 120),
    sign: { is: "session", run },
    take: () => (location.hash = sessionAddress(run.id)),
  };
}

function stepEntries(run: Run): Entry[] {
  const detail = brief(runName(run), 40);
  return run.known.todos
    .flatMap((item) => [item, ...(item.subtasks ?? [])])
    .map((item) => ({
      key: `step ${run.listId} ${item.uid}`,
      label: firstWords(wordsOf(item)),
      detail,
      sign: { is: "step", item },
      take: () => place.go(sessionAddress(run.id), stepSelector(item.uid)),
    }));
}

/** Enough of a text to find it by. There are thousands: it is cut where it comes, and what does not fit is not seen. */
function firstWords(text: string): string {
  return plain(text.slice(0, LETTERS)).replaceAll(/\s+/g, " ");
}
