import type { Gateway } from "./gateway.svelte";
import type { Machine } from "./machine.svelte";
import { hasList } from "./runs";

/** The way from nothing to the first live list. All of it follows from what is so; nothing is ticked by being clicked. */
export class FirstRun {
  /** True if this window has begun with nothing to show, and the user has not dismissed the steps since. */
  isOn = $state(false);

  readonly #gateway: Gateway;
  readonly #machine: Machine;

  constructor(gateway: Gateway, machine: Machine) {
    this.#gateway = gateway;
    this.#machine = machine;
  }

  get listens(): boolean {
    return this.#gateway.link === "connected";
  }

  /** The names of the connected agents. */
  get connected(): string[] {
    return (this.#machine.agents ?? []).filter(({ server }) => server === "ours").map(({ title }) => title);
  }

  get hasList(): boolean {
    return this.#gateway.order.some(({ known }) => hasList(known.session));
  }

  get isOver(): boolean {
    return this.listens && this.connected.length > 0 && this.hasList;
  }
}
