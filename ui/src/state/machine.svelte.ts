import { toFailure, type Failure, type Message } from "../backend/backend";
import type { AgentSetup, GatewayState } from "../protocol/types";
import { Connecting } from "./connecting.svelte";
import type { Gateway } from "./gateway.svelte";
import { Import } from "./import.svelte";
import { brief } from "../shared/text/plain";
import { whenSlow } from "../shared/slow";

const LOST: ReadonlySet<GatewayState> = new Set(["disconnected", "closing"]);

/** The agents on the gateway's machine, and their old transcripts. */
export class Machine {
  /** Nothing before the first answer. */
  agents = $state.raw<AgentSetup[]>();
  /** The words that start our tool server, for an agent that is not known. */
  server = $state.raw<string[]>([]);
  /** Why they could not be asked for; those of before are still there. */
  failure = $state.raw<Failure>();
  /** True if looking for them takes long enough to show it. */
  slow = $state(false);
  readonly import: Import;

  readonly #gateway: Gateway;
  readonly #each = new Map<string, Connecting>();
  #looking: Promise<void> | undefined;
  #again = false;

  constructor(gateway: Gateway) {
    this.#gateway = gateway;
    this.import = new Import(gateway);
  }

  /** Hears what the gateway tells of it; returns what ends that. */
  open(): () => void {
    return this.#gateway.listen((message) => this.#take(message));
  }

  /** Looks which agents there are; asked again while it looks, it looks once more. */
  look(): Promise<void> {
    this.#again = this.#looking !== undefined;
    this.#looking ??= this.#look();
    return this.#looking;
  }

  /** The change of an agent's connection that is under way. */
  of(agent: AgentSetup): Connecting {
    let connecting = this.#each.get(agent.agent);
    if (!connecting) {
      connecting = new Connecting(this.#gateway, agent.agent, agent.title, () => this.look());
      this.#each.set(agent.agent, connecting);
    }
    return connecting;
  }

  async #look(): Promise<void> {
    const over = whenSlow((isSlow) => (this.slow = isSlow));
    do {
      this.#again = false;
      // oxlint-disable-next-line no-await-in-loop
      await this.#ask();
    } while (this.#again);
    over();
    this.#looking = undefined;
  }

  async #ask(): Promise<void> {
    try {
      const there = await this.#gateway.call("agents.list", {});
      this.agents = inOrder(there.agents).map(named);
      this.server = there.server ?? [];
      this.failure = undefined;
      if (there.import) this.import.take(there.import);
    } catch (thrown) {
      this.failure = toFailure(thrown);
    }
  }

  #take(message: Message): void {
    if (message.type === "agents.step") this.#each.get(message.agent)?.step(message);
    else if (message.type === "import.progress") this.import.take(message);
    else if (message.type === "gateway.state" && LOST.has(message.state)) this.import.lose();
  }
}

/** Names as they can stand in a sentence. */
function named(setup: AgentSetup): AgentSetup {
  return { ...setup, title: brief(setup.title, 40), instructions: brief(setup.instructions, 40) };
}

/** Those that are there first; else as the gateway has them. */
function inOrder(agents: AgentSetup[]): AgentSetup[] {
  return agents.toSorted((a, b) => Number(b.program !== undefined) - Number(a.program !== undefined));
}
