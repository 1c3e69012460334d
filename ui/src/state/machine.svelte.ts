import { toFailure, type Failure, type Message } from "../backend/backend";
import type { AgentSetup, AgentsStepEvent, GatewayState } from "../protocol/types";
import type { Gateway } from "./gateway.svelte";
import { Import } from "./import.svelte";
import { brief } from "../shared/text/plain";
import { whenSlow } from "../shared/slow";

const LOST: ReadonlySet<GatewayState> = new Set(["disconnected", "closing"]);

/** A change of an agent's connection, as far as it hears of the steps of its test. */
type Change = { step(step: AgentsStepEvent): void };

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
  readonly #changes = new Map<string, Change>();
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

  /** The change of an agent's connection that is under way; made where there is none. */
  change<T extends Change>(agent: string, make: (gateway: Gateway) => T): T {
    const known = this.#changes.get(agent);
    if (known) return known as T;
    const made = make(this.#gateway);
    this.#changes.set(agent, made);
    return made;
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
    if (message.type === "agents.step") this.#changes.get(message.agent)?.step(message);
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
