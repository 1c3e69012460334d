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

  /** Adds a machine; answers with the reason where it cannot be. */
  async add(name: string, command: string[], days: number): Promise<Failure | undefined> {
    try {
      await this.#gateway.call("hosts.add", { name, command, days });
      return undefined;
    } catch (thrown) {
      return toFailure(thrown);
    }
  }

  confirm({ name, command }: Host, accept: boolean): Promise<boolean> {
    return this.#try(() => this.#gateway.call("hosts.confirm", { name, command, accept }));
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

/** The words of a command, as a person types it: parts between quotes are one word. */
export function wordsOf(typed: string): string[] {
  const parts = typed.matchAll(/(?:[^\s"']+|"[^"]*"|'[^']*')+/g);
  return [...parts].map(([part]) => part.replaceAll(/"([^"]*)"|'([^']*)'/g, "$1$2"));
}
