import { SvelteMap } from "svelte/reactivity";
import { toFailure, type Failure, type Message } from "../backend/backend";
import type { Settings } from "../protocol/types";
import { m } from "../paraglide/messages";
import type { Gateway } from "./gateway.svelte";
import { live } from "../shared/live.svelte";

export type Setting = keyof Settings;
/** Some settings with their values. */
export type Chosen = Partial<Settings>;

/** The time for which it is shown that a change was taken. */
const SHOWN_FOR = 2_500;

/** The settings of the gateway, as all its windows have them. A change applies at once, or is taken back with a word. */
export class Preferences {
  /** Nothing before the gateway has told. */
  values = $state.raw<Settings>();
  /** Those that were taken just now. */
  readonly taken = new SvelteMap<Setting, true>();
  /** Why the last change of each was not taken. */
  readonly refused = new SvelteMap<Setting, Failure>();

  readonly #gateway: Gateway;
  /** As the gateway has them, without what is under way. */
  #told: Settings | undefined;
  readonly #underway = new Set<Chosen>();
  readonly #timers = new Map<Setting, number>();

  constructor(gateway: Gateway) {
    this.#gateway = gateway;
  }

  /** Hears what any window changes; returns what ends that. */
  open(): () => void {
    return this.#gateway.listen((message) => this.#take(message));
  }

  /** Changes some at once; those that belong together are refused together, at the first. */
  async choose(chosen: Chosen): Promise<boolean> {
    const settings = Object.keys(chosen) as Setting[];
    for (const setting of settings) this.forget(setting);
    this.#underway.add(chosen);
    this.#show();
    try {
      const answer = await this.#gateway.call("settings.update", chosen);
      this.#underway.delete(chosen);
      this.#keep(answer);
      for (const setting of settings) this.#mark(setting);
      live.say(m.settings_saved());
      return true;
    } catch (thrown) {
      this.#underway.delete(chosen);
      this.#show();
      if (settings[0]) this.refused.set(settings[0], toFailure(thrown));
      return false;
    }
  }

  /** A message about the last change is no longer true of the settings as they are now. */
  forget(setting: Setting): void {
    this.refused.delete(setting);
    this.taken.delete(setting);
  }

  #take(message: Message): void {
    if (message.type === "events.subscribe.result") this.#keep(message.settings);
    else if (message.type === "settings.updated") this.#keep(message);
  }

  #keep(told: Settings): void {
    this.#told = told;
    this.#show();
  }

  #show(): void {
    if (this.#told) this.values = Object.assign({}, this.#told, ...this.#underway);
  }

  #mark(setting: Setting): void {
    this.taken.set(setting, true);
    clearTimeout(this.#timers.get(setting));
    this.#timers.set(
      setting,
      window.setTimeout(() => this.taken.delete(setting), SHOWN_FOR),
    );
  }
}
