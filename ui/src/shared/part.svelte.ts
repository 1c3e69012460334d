import type { Component } from "svelte";
import * as texts from "../paraglide/messages";

/** Fetches the texts that the first page does without; `messages/one-language.js` has made it. */
const { fetchRest } = texts as unknown as { fetchRest: () => Promise<void> };

let isShut = false;

/** Ends all fetching: another program answers where the gateway did, and its files are not ours. */
export function shut(): void {
  isShut = true;
}

/** A module that the first page does without, with the texts that it may need. */
export async function fetched<T>(load: () => Promise<T>): Promise<T> {
  if (isShut) throw new Error("shut");
  const [module] = await Promise.all([load(), fetchRest()]);
  return module;
}

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
      const { default: component } = await fetched(this.load);
      this.here = component;
    } catch {
      this.hasFailed = true;
      this.#fetched = undefined;
    }
  }
}

const all: { fetch: () => Promise<void> }[] = [];

/** Makes a part of the window of a component; once, where the module begins. */
export function part<P extends Record<string, unknown>>(
  load: () => Promise<{ default: Component<P> }>,
): Part<P> {
  const made = new Part(load);
  all.push(made);
  return made;
}

/** Fetches every part that is not here yet. */
export async function fetchAll(): Promise<void> {
  await Promise.all(all.map((one) => one.fetch()));
}
