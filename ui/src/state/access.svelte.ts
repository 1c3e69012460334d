import { toFailure, type Failure } from "../backend/backend";
import type { AuditEntry, Key, KeyMade, PairingCode, Rights } from "../protocol/types";
import type { Gateway } from "./gateway.svelte";

const ENTRIES = 20;

/** The keys that open the gateway, those that wait for somebody's word, and the log. */
export class Access {
  /** Nothing before the first answer. */
  keys = $state.raw<Key[]>();
  entries = $state.raw<AuditEntry[]>([]);
  /** Present where there are older entries. */
  before = $state<number>();
  /** Why the last thing could not be done. */
  failure = $state.raw<Failure>();
  readonly waiting: Key[] = $derived((this.keys ?? []).filter((key) => key.wanted !== undefined));

  readonly #gateway: Gateway;

  constructor(gateway: Gateway) {
    this.#gateway = gateway;
  }

  /** Hears when keys change; returns what ends that. */
  open(): () => void {
    return this.#gateway.listen((message) => {
      if (message.type === "keys.updated") void this.look();
    });
  }

  async look(): Promise<void> {
    await this.#try(async () => {
      this.keys = (await this.#gateway.call("key.list", {})).keys;
      const { entries, nextBefore } = await this.#gateway.call("audit.list", { limit: ENTRIES });
      this.entries = entries;
      this.before = nextBefore;
    });
  }

  async older(): Promise<void> {
    const { before } = this;
    if (before === undefined) return;
    await this.#try(async () => {
      const page = await this.#gateway.call("audit.list", { before, limit: ENTRIES });
      this.entries = [...this.entries, ...page.entries];
      this.before = page.nextBefore;
    });
  }

  /** The whole log as JSON. */
  async log(): Promise<string | undefined> {
    const all: AuditEntry[] = [];
    const isRead = await this.#try(async () => {
      let before: number | undefined;
      do {
        // oxlint-disable-next-line no-await-in-loop
        const page = await this.#gateway.call("audit.list", {
          limit: 1_000,
          ...(before === undefined ? {} : { before }),
        });
        all.push(...page.entries);
        before = page.nextBefore;
      } while (before !== undefined);
    });
    return isRead ? JSON.stringify({ entries: all }, undefined, 2) : undefined;
  }

  /** Makes a key; without rights it is an agent's. */
  make(name: string, rights: Rights | undefined): Promise<KeyMade | Failure> {
    return this.#gateway
      .call("key.new", { name, ...(rights === undefined ? {} : { rights }) })
      .catch((thrown: unknown) => toFailure(thrown));
  }

  renew(key: Key): Promise<KeyMade | Failure> {
    return this.#gateway
      .call("key.renew", { keyId: key.keyId })
      .catch((thrown: unknown) => toFailure(thrown));
  }

  revoke(key: Key): Promise<boolean> {
    return this.#try(() => this.#gateway.call("key.revoke", { keyId: key.keyId }));
  }

  confirm(key: Key, accept: boolean): Promise<boolean> {
    return this.#try(() => this.#gateway.call("key.confirm", { keyId: key.keyId, accept }));
  }

  /** An address that pairs one browser: on this machine, or by a named host on another device. */
  async code(rights: Rights, host?: string): Promise<PairingCode | undefined> {
    let code: PairingCode | undefined;
    await this.#try(async () => {
      code = await this.#gateway.call("key.code", { rights, ...(host === undefined ? {} : { host }) });
    });
    return code;
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
