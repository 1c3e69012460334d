import type { Session } from "../protocol/types";

/** The name that the built-in agent gives itself. */
const BUILT_IN = "sightline";

export function isBuiltIn({ agent, ownTool }: Pick<Session, "agent" | "ownTool">): boolean {
  return agent.name === BUILT_IN && ownTool === undefined;
}
