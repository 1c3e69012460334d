import type { Gateway } from "../state/gateway.svelte";
import type { Machine } from "../state/machine.svelte";

/** The way from nothing to the first live list. All of it follows from what is so; nothing is ticked by being clicked. */
export class FirstRun {
  /** Whether this window has begun with nothing to show, and the user has not put the steps away since. */
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

  /** What the agents are called that are connected. */
  get connected(): string[] {
    return (this.#machine.agents ?? []).filter(({ server }) => server === "ours").map(({ title }) => title);
  }

  get hasList(): boolean {
    return this.#gateway.order.some(({ known }) => known.session.revision > 0);
  }

  get isOver(): boolean {
    return this.listens && this.connected.length > 0 && this.hasList;
  }
}
