import { SvelteMap } from "svelte/reactivity";
import { toFailure, type Failure } from "../backend/backend";
import type { ChatProviderThere, VaultKeys } from "../protocol/types";
import type { Gateway } from "./gateway.svelte";

/** How the last try of a model went. */
export type Tried = { state: "trying" } | { state: "answers" } | { state: "failed"; failure: Failure };

/** The models that the built-in agent can have, and the keys of those who provide them. */
export class Models {
  /** Nothing before the first answer. */
  providers = $state.raw<ChatProviderThere[]>();
  /** Why they could not be asked for. */
  failure = $state.raw<Failure>();
  looking = $state(false);
  /** Where each provider's key is. */
  keys = $state.raw<VaultKeys["keys"]>();
  readonly tried = new SvelteMap<string, Tried>();

  readonly #gateway: Gateway;

  constructor(gateway: Gateway) {
    this.#gateway = gateway;
  }

  /** Asks each provider what it has. */
  async look(): Promise<void> {
    if (this.looking) return;
    this.looking = true;
    try {
      this.providers = (await this.#gateway.call("chat.models", {})).providers;
      this.failure = undefined;
    } catch (thrown) {
      this.failure = toFailure(thrown);
    }
    this.looking = false;
  }

  async test(model: string): Promise<void> {
    if (this.tried.get(model)?.state === "trying") return;
    this.tried.set(model, { state: "trying" });
    try {
      await this.#gateway.call("chat.test", { model });
      this.tried.set(model, { state: "answers" });
    } catch (thrown) {
      this.tried.set(model, { state: "failed", failure: toFailure(thrown) });
    }
  }

  async lookForKeys(): Promise<void> {
    try {
      this.keys = (await this.#gateway.call("vault.keys.list", {})).keys;
    } catch {
      // Its rows say nothing of keys until the gateway is there.
    }
  }

  async keep(provider: string, key: string): Promise<Failure | undefined> {
    return this.#change(() => this.#gateway.call("vault.keys.set", { provider, key }));
  }

  async remove(provider: string): Promise<Failure | undefined> {
    return this.#change(() => this.#gateway.call("vault.keys.delete", { provider }));
  }

  /** With another key there are other models, and what was tried counts no more. */
  async #change(change: () => Promise<VaultKeys>): Promise<Failure | undefined> {
    try {
      this.keys = (await change()).keys;
      this.tried.clear();
      this.providers = undefined;
      return undefined;
    } catch (thrown) {
      return toFailure(thrown);
    }
  }
}
