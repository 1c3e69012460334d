import type { KnownAgent } from "../protocol/types";

/** The agents that the gateway knows; none before it has answered. */
let known = $state.raw<readonly KnownAgent[]>([]);

/** Every agent by each of its names. */
const byName = $derived(
  new Map(known.flatMap((agent) => [agent.agent, ...agent.aliases].map((name) => [name, agent] as const))),
);

export const knownAgents = {
  set(agents: readonly KnownAgent[]): void {
    known = agents;
  },
  /** Those with transcripts that can be imported, by their names in requests. */
  get withTranscripts(): string[] {
    return known.filter(({ transcripts }) => transcripts).map(({ agent }) => agent);
  },
};

/** The built-in agent is no program of others. */
const BUILT_IN = { name: "sightline", title: "Sightline" };

export const BUILT_IN_AGENT = BUILT_IN.name;

/** An agent's name for people; of one that nobody knows, its own name. */
export function agentTitle(name: string): string {
  return name === BUILT_IN.name ? BUILT_IN.title : (byName.get(name)?.title ?? name);
}

/** True if edits reach the agent by hooks of ours. */
export function hasHooks(name: string): boolean {
  return byName.get(name)?.hooks ?? false;
}

/** True if a run of the agent can be resumed with a prompt. */
export function goesOn(name: string): boolean {
  return byName.get(name)?.continues ?? false;
}

/** True if the agent can be started with a task. */
export function startsWithTask(name: string): boolean {
  return byName.get(name)?.starts ?? false;
}
