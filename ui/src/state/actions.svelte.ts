import type { ShellAction, WindowDeed } from "../backend/shell";
import type { Item, Status } from "../protocol/types";
import { isEmptyField, isTyping } from "../shared/typing";
import type { CommandBar } from "./command-bar.svelte";
import type { Editings } from "./editing.svelte";
import { fetchEditings } from "./editings";
import type { Gateway } from "./gateway.svelte";
import { density, theme, type Density, type Theme } from "./look.svelte";
import { copyList } from "./marks";
import type { OnDemand } from "./on-demand";
import { HISTORY } from "./asked";
import { AGENTS, CHAT, COMPACT, NEEDS, NOW, place, sessionAddress, SETTINGS } from "./route.svelte";
import type { Run } from "./runs";
import type { Desktop } from "./shell.svelte";
import { hasEnded } from "./steps";

const PAGES = {
  now: NOW,
  needs: NEEDS,
  history: HISTORY,
  agents: AGENTS,
  settings: SETTINGS,
  chat: CHAT,
} as const;
type Page = keyof typeof PAGES;

/** Those who may only look do none of these. */
const CHANGES = new Set<ActionId>(["new-list", "new-step", "tell", "undo", "redo", "clear"]);

/** The actions that can be done from anywhere: by a key, in the palette, in a native menu. */
export type ActionId =
  | Page
  | "compact"
  | "previous"
  | "next"
  | "palette"
  | "commands"
  | "keys"
  | "new-list"
  | "new-step"
  | "tell"
  | "undo"
  | "redo"
  | "clear"
  | "copy-markdown"
  | `theme-${Theme}`
  | `density-${Density}`
  | `mark-${Extract<Status, "completed" | "in_progress" | "pending" | "blocked" | "skipped" | "cancelled">}`
  | WindowDeed;

export class Actions {
  /** True while the map of the keyboard is open. */
  keysOpen = $state(false);
  /** True while a list of the user's own is begun. */
  newListOpen = $state(false);

  readonly #gateway: Gateway;
  readonly #onDemand: OnDemand;
  readonly #bar: CommandBar;
  readonly #desktop: Desktop;

  constructor(gateway: Gateway, onDemand: OnDemand, bar: CommandBar, desktop: Desktop) {
    this.#gateway = gateway;
    this.#onDemand = onDemand;
    this.#bar = bar;
    this.#desktop = desktop;
  }

  /** The run that is meant: the one that is open, or whose card has the focus, or the only one. */
  get target(): Run | undefined {
    const { route } = place;
    if (route.page === "session") return this.#gateway.run(route.sessionId);
    const card = focusedSession();
    const current = this.#current();
    return (
      (card === undefined ? undefined : this.#gateway.run(card)) ??
      (current.length === 1 ? current[0] : undefined)
    );
  }

  /** Does it, to `run` where it is about one; false where there is nothing to do it to. */
  run(id: ActionId, run = this.target): boolean {
    if (id in PAGES) location.hash = PAGES[id as Page];
    else if (id.startsWith("theme-")) theme.chosen = id.slice("theme-".length) as Theme;
    else if (id.startsWith("density-")) density.chosen = id.slice("density-".length) as Density;
    else if (id.startsWith("mark-")) return this.#setStatus(id.slice("mark-".length) as Status, run);
    else return this.#act(id, run);
    return true;
  }

  /** Runs an action of a native menu; it takes the keys from fields as well. */
  take(action: ShellAction): void {
    const focused = document.activeElement;
    // There is no guide on the internet yet: the keys are what a help is opened for.
    if (action === "guide") this.run("keys");
    else if (action === "find") this.run("palette");
    else if ((action === "undo" || action === "redo") && isTyping(focused) && !isEmptyField(focused))
      document.execCommand(action);
    else this.run(action);
  }

  #act(id: ActionId, run: Run | undefined): boolean {
    if (CHANGES.has(id) && !this.#gateway.mayEdit) return false;
    switch (id) {
      case "compact":
        this.#shrink();
        return true;
      case "previous":
        return this.#step(-1);
      case "next":
        return this.#step(1);
      case "palette":
        this.#bar.find(run?.id);
        return true;
      case "commands":
        // Where something is searched for, that is what the key is for.
        if (focusSearch()) return true;
        this.#bar.open(focusedSession() ?? run?.id);
        return true;
      case "keys":
        this.keysOpen = true;
        return true;
      case "undo":
      case "redo":
        return this.#goBack(id);
      case "new-list":
        this.newListOpen = true;
        return true;
      case "close":
      case "quit":
      case "hide":
      case "fullscreen":
      case "zoom-in":
      case "zoom-out":
      case "zoom-reset":
        this.#desktop.act(id);
        return this.#desktop.isThere;
      default:
        return run !== undefined && this.#actOn(id, run);
    }
  }

  /** Takes back the newest edit, or makes it again: of the session that is open, elsewhere of all. */
  #goBack(id: "undo" | "redo"): boolean {
    const { route } = place;
    if (route.page === "session" && route.at !== undefined) return false;
    const run = route.page === "session" ? this.#gateway.run(route.sessionId) : undefined;
    const lists = run && [run.id, run.listId, ...(run.own ? [run.own.session.sessionId] : [])];
    void this.#edit((editings) => (id === "undo" ? editings.undoNewest(lists) : editings.redoNewest(lists)));
    return true;
  }

  async #edit(deed: (editings: Editings) => void): Promise<void> {
    const editings = await fetchEditings(this.#onDemand);
    if (editings) deed(editings);
  }

  #actOn(id: ActionId, run: Run): boolean {
    switch (id) {
      case "new-step":
        place.go(sessionAddress(run.id), `main [data-field="add"] input`);
        return true;
      case "tell":
        place.go(sessionAddress(run.id), `main [data-field="tell"] input`);
        return true;
      case "clear":
        void this.#edit((editings) => void editings.of(run.listId).clear(run.known.todos.length));
        return true;
      case "copy-markdown":
        void copyList(this.#gateway, run);
        return true;
      default:
        return false;
    }
  }

  #current(): Run[] {
    return this.#gateway.order.filter(({ known }) => known.session.current);
  }

  /** The strip: the window itself becomes it, where there is a window. */
  #shrink(): void {
    if (this.#desktop.isThere) this.#desktop.shrink();
    else location.hash = COMPACT;
  }

  /** To the session that comes before or after in the rail. */
  #step(by: 1 | -1): boolean {
    const runs = this.#current();
    if (runs.length === 0) return false;
    const { route } = place;
    const id = route.page === "session" ? this.#gateway.run(route.sessionId)?.id : undefined;
    const at = runs.findIndex((run) => run.id === id);
    const to = at < 0 ? (by > 0 ? 0 : runs.length - 1) : (at + by + runs.length) % runs.length;
    const next = runs[to];
    if (next) location.hash = sessionAddress(next.id);
    return true;
  }

  /** The step that has the focus, else the one in progress, else the next. */
  #setStatus(status: Status, run: Run | undefined): boolean {
    if (!run || run.known.session.readOnly) return false;
    const item = stepOf(run.known.todos);
    if (item) void this.#edit((editings) => void editings.of(run.listId).setStatus(item, status));
    return item !== undefined;
  }
}

function focusSearch(): boolean {
  const field = document.querySelector<HTMLInputElement>('main [data-field="search"] input');
  field?.select();
  field?.focus();
  return field !== null;
}

/** The session whose card or list has the focus. */
function focusedSession(): string | undefined {
  return document.activeElement?.closest<HTMLElement>("[data-session]")?.dataset.session;
}

function stepOf(todos: Item[]): Item | undefined {
  const uid = document.activeElement?.closest<HTMLElement>("[data-uid]")?.dataset.uid;
  const all = todos.flatMap((item) => [item, ...(item.subtasks ?? [])]);
  return (
    all.find((item) => item.uid === uid) ??
    todos.find(({ status }) => status === "in_progress") ??
    todos.find((item) => !hasEnded(item))
  );
}
