// An agent at work in a test: its model is scripted, and the user looks on.
import { connect } from "../agents/connect.ts";
import { type Model } from "../agents/scripted.ts";
import type { Todo } from "../parts/agent.ts";
import type { Gateway } from "../parts/gateway.ts";
import type { Socket } from "../parts/socket.ts";
import type { Started, Way } from "./started.ts";

export const PROMPT = "Prepare the release. Keep a list of the steps.";
export const ADDED = "Ask the customer";
export const NOTE = "Use the staging database";

export interface Session {
  sessionId: string;
  title: string;
  state: string;
  parentSessionId?: string;
  folder?: string;
  project?: string;
  revision: number;
  agent: { name: string; version?: string };
}

export async function sessions(user: Socket): Promise<Session[]> {
  return (await user.ask("session.list"))["sessions"] as Session[];
}

export async function todosOf(user: Socket, sessionId: string): Promise<Todo[]> {
  return (await user.ask("session.get", { sessionId }))["todos"] as Todo[];
}

/** Makes the agent's home ready and connects it. */
export async function connected(
  agent: Started,
  gateway: Gateway,
  model: Model,
  way: Way = "stdio",
  ...more: string[]
): Promise<void> {
  const { folder, address, runtime } = gateway;
  await agent.prepare?.(folder, model);
  if (way === "stdio") return connect(agent.name, folder, ...more);
  const headers = { Authorization: `Bearer ${runtime.agentToken}` };
  await agent.connectOverHttp?.(folder, { url: `${address}/mcp`, headers });
}

/** The model writes a first list; where several runs go on, `prompt` says for which. */
export async function writes(agent: Started, model: Model, todos: Todo[], prompt = ""): Promise<void> {
  for (const answer of agent.before) await model.answer(answer, prompt);
  await model.answer(agent.write({ todos }), prompt);
}
