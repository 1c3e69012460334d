import { toFailure, type Failure } from "../backend/backend";
import type { Host } from "../protocol/types";
import type { Gateway } from "./gateway.svelte";

/** Other machines whose sessions are mirrored here. */
export class Machines {
  /** Nothing before the first answer. */
  hosts = $state.raw<Host[]>();
  /** Names of those that are being tested. */
  testing = $state.raw<ReadonlySet<string>>(new Set());
  /** Why the last thing could not be done. */
  failure = $state.raw<Failure>();

  readonly #gateway: Gateway;

  constructor(gateway: Gateway) {
    this.#gateway = gateway;
  }

  /** Hears when machines change; returns what ends that. */
  open(): () => void {
    return this.#gateway.listen((message) => {
      if (message.type === "hosts.updated") this.hosts = message.hosts;
    });
  }

  async look(): Promise<void> {
    await this.#try(async () => {
      this.hosts = (await this.#gateway.call("hosts.list", {})).hosts;
    });
  }

  /** Adds a machine by what was typed, a command or an address with its key; answers with the reason where it cannot be. */
  async add(name: string, typed: string, days: number, key: string): Promise<Failure | undefined> {
    const address = addressOf(typed);
    try {
      if (address === undefined) {
        await this.#gateway.call("hosts.add", { name, command: wordsOf(typed), days });
        return undefined;
      }
      await this.#gateway.call("hosts.add", { name, command: [], address, days });
    } catch (thrown) {
      return toFailure(thrown);
    }
    const failure = await this.keep(name, key);
    // It is added with its key or not at all.
    if (failure) await this.#try(() => this.#gateway.call("hosts.remove", { name }));
    return failure;
  }

  /** Keeps the key of a machine at an address. */
  async keep(name: string, key: string): Promise<Failure | undefined> {
    try {
      await this.#gateway.call("hosts.key", { name, key });
      return undefined;
    } catch (thrown) {
      return toFailure(thrown);
    }
  }

  confirm({ name, command, address }: Host, accept: boolean): Promise<boolean> {
    const way = address === undefined ? { command } : { command, address };
    return this.#try(() => this.#gateway.call("hosts.confirm", { name, ...way, accept }));
  }

  remove({ name }: Host): Promise<boolean> {
    return this.#try(() => this.#gateway.call("hosts.remove", { name }));
  }

  /** Connects to a machine anew. */
  async test({ name }: Host): Promise<void> {
    this.testing = new Set([...this.testing, name]);
    await this.#try(async () => {
      const tested = await this.#gateway.call("hosts.test", { name });
      this.hosts = this.hosts?.map((host) => (host.name === name ? tested : host));
    });
    this.testing = new Set([...this.testing].filter((other) => other !== name));
  }

  async #try(ask: () => Promise<unknown>): Promise<boolean> {
    try {
      await ask();
      this.failure = undefined;
      return true;
    } catch (thrown) {
      this.failure = toFailure(thrown);
      return false;
    }
  }
}

/** The address that was typed in the place of a command. */
export function addressOf(typed: string): string | undefined {
  const word = typed.trim();
  return /^[a-z]+:\/\/\S+$/i.test(word) ? word : undefined;
}

/** The words of a command, as a person types it: parts between quotes are one word. */
export function wordsOf(typed: string): string[] {
  const parts = typed.matchAll(/(?:[^\s"']+|"[^"]*"|'[^']*')+/g);
  return [...parts].map(([part]) => part.replaceAll(/"([^"]*)"|'([^']*)'/g, "$1$2"));
}
