import { toFailure, type Failure } from "../backend/backend";
import type {
  AgentSetup,
  AgentsApplied,
  AgentsPlan,
  AgentsPlanned,
  AgentsTested,
  TestStep,
} from "../protocol/types";
import { filesOf, readDiff } from "../text/diff";
import type { Gateway } from "./gateway.svelte";
import type { Machine } from "./machine.svelte";
import { live } from "../shared/live.svelte";
import { m } from "../paraglide/messages";

/** A change that is asked for, without its agent. */
export type Asked = Omit<AgentsPlan, "agent">;

/** The progress of a change of an agent's configuration. */
export type Stage =
  | { is: "folder"; asked: Asked }
  | { is: "planning"; asked: Asked }
  | { is: "planned"; asked: Asked; plan: AgentsPlanned }
  | { is: "applying"; asked: Asked; plan: AgentsPlanned }
  | { is: "applied"; asked: Asked; applied: AgentsApplied }
  | { is: "failed"; asked: Asked; failure: Failure }
  /** Not a change: whether the agent may make a call is asked first. */
  | { is: "real" };

/** A test of the connection: it runs until it has an outcome, or could not be made. */
export type Test = {
  isReal: boolean;
  begunAt: string;
  steps: TestStep[];
  /** The number of steps that it has where all succeed. */
  of?: number;
  isCancelled?: boolean;
  outcome?: AgentsTested;
  failure?: Failure;
};

/** The user's changes of one agent's connection. Nothing is changed that was not shown before. */
export class Connecting {
  stage = $state.raw<Stage>();
  test = $state.raw<Test>();

  readonly #gateway: Gateway;
  readonly #agent: string;
  readonly #title: string;
  readonly #onchange: () => Promise<void>;
  /** Tells an answer that is still wanted from one that was left. */
  #turn = 0;

  constructor(gateway: Gateway, agent: string, title: string, onchange: () => Promise<void>) {
    this.#gateway = gateway;
    this.#agent = agent;
    this.#title = title;
    this.#onchange = onchange;
  }

  get isBusy(): boolean {
    const { stage } = this;
    return stage?.is === "planning" || stage?.is === "applying" || this.isTesting;
  }

  get isTesting(): boolean {
    return this.test !== undefined && !this.test.outcome && !this.test.failure;
  }

  get isOpen(): boolean {
    return this.stage !== undefined || this.test !== undefined;
  }

  /** Asks for the folder first. */
  choose(asked: Asked): void {
    this.#begin({ is: "folder", asked });
  }

  /** Asks whether the agent may make a call. */
  offerReal(): void {
    this.#begin({ is: "real" });
  }

  /** Asks what would change. */
  async plan(asked: Asked): Promise<void> {
    if (this.isBusy) return;
    const turn = this.#begin({ is: "planning", asked });
    try {
      const plan = await this.#gateway.call("agents.plan", { agent: this.#agent, ...asked });
      if (turn !== this.#turn) return;
      this.stage = { is: "planned", asked, plan };
      const parts = readDiff(plan.diff);
      const title = this.#title;
      live.say(
        parts.length > 0
          ? m.agents_told_would_change({ title, what: filesOf(parts) })
          : m.agents_told_nothing({ title }),
      );
    } catch (thrown) {
      if (turn === this.#turn) this.stage = { is: "failed", asked, failure: toFailure(thrown) };
    }
  }

  /** Does what was shown, until it is seen there; a connection is tested meanwhile. */
  async apply(): Promise<void> {
    const { stage } = this;
    if (stage?.is !== "planned") return;
    const { asked, plan } = stage;
    this.stage = { is: "applying", asked, plan };
    try {
      const { planId } = plan;
      const applied = await this.#gateway.call("agents.apply", { planId });
      this.stage = { is: "applied", asked, applied };
      live.say(m.agents_told_changed({ title: this.#title, count: applied.written.length }));
      if (asked.change === "connect") void this.run(false);
    } catch (thrown) {
      this.stage = { is: "failed", asked, failure: toFailure(thrown) };
    }
    await this.#onchange();
  }

  /** Tests the connection; `isReal` lets the agent itself make a call, too. */
  async run(isReal: boolean): Promise<void> {
    if (this.isTesting || this.stage?.is === "applying") return;
    if (this.stage?.is !== "applied") this.#begin(undefined);
    const turn = this.#turn;
    const begunAt = new Date().toISOString();
    this.test = { isReal, begunAt, steps: [] };
    try {
      const asked = { agent: this.#agent, ...(isReal && { real: true }) };
      const outcome = await this.#gateway.call("agents.test", asked);
      if (turn !== this.#turn) return;
      this.test = { isReal, begunAt, steps: outcome.steps, outcome };
      const title = this.#title;
      if (outcome.cancelled) live.say(m.agents_test_cancelled());
      else live.say(outcome.ok ? m.agents_told_passed({ title }) : m.agents_told_failed({ title }));
    } catch (thrown) {
      if (turn !== this.#turn) return;
      this.test = { isReal, begunAt, steps: this.test?.steps ?? [], failure: toFailure(thrown) };
      live.say(m.agents_told_impossible({ title: this.#title }));
    }
    await this.#onchange();
  }

  /** Ends the test, and the agent that was started for it. */
  async cancel(): Promise<void> {
    if (!this.test || !this.isTesting) return;
    this.test = { ...this.test, isCancelled: true };
    // Where it cannot be ended it goes on, and says so itself.
    await this.#gateway.call("agents.test.cancel", { agent: this.#agent }).catch(() => undefined);
  }

  /** A step of a test was taken, by this window or another. */
  step({ ok, what, of }: TestStep & { of?: number }): void {
    const { test } = this;
    if (!test || !this.isTesting) return;
    this.test = { ...test, ...(of !== undefined && { of }), steps: [...test.steps, { ok, what }] };
  }

  /** Looks at the agent's configuration once more. */
  look(): void {
    void this.#onchange();
  }

  /** Puts away what is shown; what is being written cannot be left. */
  leave(): void {
    if (this.test?.isReal) void this.cancel();
    if (this.stage?.is !== "applying") this.#begin(undefined);
  }

  #begin(stage: Stage | undefined): number {
    this.stage = stage;
    this.test = undefined;
    this.#turn += 1;
    return this.#turn;
  }
}

/** The change of an agent's connection that is under way, or that may begin. */
export function connectingOf(machine: Machine, { agent, title }: AgentSetup): Connecting {
  return machine.change(agent, (gateway) => new Connecting(gateway, agent, title, () => machine.look()));
}
