import { SvelteMap } from "svelte/reactivity";
import { toFailure, type Failure } from "../backend/backend";
import type { ChatProviderModels, VaultKeys } from "../protocol/types";
import type { Gateway } from "./gateway.svelte";

/** The outcome of the last try of a model. */
export type Tried = { state: "trying" } | { state: "answers" } | { state: "failed"; failure: Failure };

/** The models that the built-in agent can have, and the keys of those who provide them. */
export class Models {
  /** Nothing before the first answer. */
  providers = $state.raw<ChatProviderModels[]>();
  /** Why they could not be asked for. */
  failure = $state.raw<Failure>();
  looking = $state(false);
  /** The place of each provider's key, and the address that it belongs to. */
  keys = $state.raw<VaultKeys>();
  readonly tried = new SvelteMap<string, Tried>();

  readonly #gateway: Gateway;
  /** The user's own providers as they were when something was tried last. */
  #with: string | undefined;

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
    const trying: Tried = { state: "trying" };
    this.tried.set(model, trying);
    const end = await this.#ask(model);
    // A try that was forgotten meanwhile was of another provider, or with another key.
    if (this.tried.get(model) === trying) this.tried.set(model, end);
  }

  async #ask(model: string): Promise<Tried> {
    try {
      await this.#gateway.call("chat.test", { model });
      return { state: "answers" };
    } catch (thrown) {
      return { state: "failed", failure: toFailure(thrown) };
    }
  }

  /** A try from a while ago says nothing about the model now. */
  forgetEnded(): void {
    for (const [model, { state }] of this.tried) if (state !== "trying") this.tried.delete(model);
  }

  /** With other providers nothing counts that was tried. */
  heed(providers: string): void {
    if (this.#with !== undefined && this.#with !== providers) this.tried.clear();
    this.#with = providers;
  }

  async lookForKeys(): Promise<void> {
    try {
      this.keys = await this.#gateway.call("vault.keys.list", {});
    } catch {
      // Its rows say nothing of keys until the gateway is there.
    }
  }

  /** Keeps a key for the address of this origin, and for no other that the provider may have got meanwhile. */
  async keep(provider: string, key: string, origin: string | undefined): Promise<Failure | undefined> {
    const fields = { provider, key, ...(origin !== undefined && { origin }) };
    return this.#change(() => this.#gateway.call("vault.keys.set", fields));
  }

  async remove(provider: string): Promise<Failure | undefined> {
    return this.#change(() => this.#gateway.call("vault.keys.delete", { provider }));
  }

  /** With another key there are other models, and what was tried counts no more. */
  async #change(change: () => Promise<VaultKeys>): Promise<Failure | undefined> {
    try {
      this.keys = await change();
      this.tried.clear();
      this.providers = undefined;
      return undefined;
    } catch (thrown) {
      return toFailure(thrown);
    }
  }
}
