import type { Gateway } from "./gateway.svelte";

/** Something that listens to the gateway for as long as the window is there. */
type Listener = { open(): () => void };

const isListener = (made: object): made is Listener => "open" in made;

/** The parts of the state that only some pages use: each is made when one of them asks, since its code comes with them. */
export class OnDemand {
  readonly #gateway: Gateway;
  readonly #made = new Map<unknown, object>();
  readonly #ends: (() => void)[] = [];

  constructor(gateway: Gateway) {
    this.#gateway = gateway;
  }

  /** The one of its kind. */
  of<T extends object>(Kind: new (gateway: Gateway) => T): T {
    const known = this.#made.get(Kind);
    if (known) return known as T;
    const made = new Kind(this.#gateway);
    this.#made.set(Kind, made);
    if (isListener(made)) this.#ends.push(made.open());
    return made;
  }

  close(): void {
    for (const end of this.#ends) end();
  }
}
