import type { Component } from "svelte";
import * as texts from "../paraglide/messages";

/** Fetches the texts that the first page does without; `messages/one-language.js` has made it. */
const { fetchRest } = texts as unknown as { fetchRest: () => Promise<void> };

/** A part of the window that is fetched when it is first wanted, or when there is nothing else to do. */
export class Part<P extends Record<string, unknown>> {
  /** The component; nothing until it is here. */
  here = $state.raw<Component<P>>();
  /** It could not be fetched: the gateway is gone, or has other files by now. */
  hasFailed = $state(false);
  #fetched: Promise<void> | undefined;

  constructor(private readonly load: () => Promise<{ default: Component<P> }>) {}

  /** Fetches it, once. */
  fetch(): Promise<void> {
    this.#fetched ??= this.#fetch();
    return this.#fetched;
  }

  async #fetch(): Promise<void> {
    try {
      const [{ default: component }] = await Promise.all([this.load(), fetchRest()]);
      this.here = component;
    } catch {
      this.hasFailed = true;
      this.#fetched = undefined;
    }
  }
}

const part = <P extends Record<string, unknown>>(load: () => Promise<{ default: Component<P> }>): Part<P> =>
  new Part(load);

/** The parts that the first page does without. */
export const parts = {
  agents: part(() => import("../pages/agents/AgentsPage.svelte")),
  chat: part(() => import("../pages/chat/NewTask.svelte")),
  compact: part(() => import("../pages/compact/Strip.svelte")),
  history: part(() => import("../pages/history/HistoryPage.svelte")),
  insight: part(() => import("../pages/history/InsightPage.svelte")),
  needs: part(() => import("../pages/needs/NeedsPage.svelte")),
  palette: part(() => import("./palette/Palette.svelte")),
  session: part(() => import("../pages/session/SessionPage.svelte")),
  settings: part(() => import("../pages/settings/SettingsPage.svelte")),
  tags: part(() => import("./TagsDialog.svelte")),
};

/** Fetches all that is not here yet. */
export async function fetchAll(): Promise<void> {
  await Promise.all(Object.values(parts).map((one) => one.fetch()));
}
