import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { type DataFolder, SIGHTLINE } from "./gateway.ts";
import { until, within } from "./process.ts";

/** A message of ACP. */
export type Line = Record<string, unknown> & {
  id?: number;
  method?: string;
  params?: Record<string, unknown>;
  result?: Record<string, unknown>;
  error?: { message: string };
};

/** An entry of a plan. */
export interface Entry {
  content: string;
  status: string;
}

/** An editor that speaks ACP with a real agent, through `sightline acp`. */
export class Editor {
  readonly heard: Line[] = [];
  /** Lines that neither side has said over ACP. */
  log = "";
  readonly #process: ChildProcess;
  readonly #ended: Promise<unknown>;
  #ids = 0;
  #allowsAll = false;

  /** `agent` is its command, as an editor would start it; `cwd` the folder that is open. */
  constructor(folder: DataFolder, agent: readonly string[], variables: Record<string, string>, cwd: string) {
    const args = ["acp", "--data-dir", folder.path, "--", ...agent];
    const env = folder.environment({ PWD: cwd, ...variables });
    this.#process = spawn(SIGHTLINE, args, { cwd, env, stdio: ["pipe", "pipe", "pipe"] });
    this.#process.stderr?.on("data", (data) => (this.log += String(data)));
    const lines = createInterface({ input: this.#process.stdout! });
    lines.on("line", (text) => {
      const line = JSON.parse(text) as Line;
      this.heard.push(line);
      if (this.#allowsAll && line.method === "session/request_permission") this.allow(line);
    });
    this.#ended = once(this.#process, "close");
  }

  /** Introduces itself. */
  async initialize(): Promise<void> {
    const fs = { readTextFile: true, writeTextFile: true };
    await this.ask("initialize", { protocolVersion: 1, clientCapabilities: { fs, terminal: false } });
  }

  /** Opens a session in a folder, without tool servers of its own. */
  async open(cwd: string): Promise<string> {
    const result = await this.ask("session/new", { cwd, mcpServers: [] });
    return String(result["sessionId"]);
  }

  /** Gives the agent a prompt; ends with its turn. */
  async prompt(sessionId: string, text: string): Promise<string> {
    const result = await this.ask("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
    return String(result["stopReason"]);
  }

  async ask(method: string, params: Record<string, unknown>): Promise<Record<string, unknown>> {
    const id = ++this.#ids;
    this.say({ jsonrpc: "2.0", id, method, params });
    const answer = await until(
      `${method} is answered`,
      () => {
        if (this.#process.exitCode !== null) throw new Error(`the agent has ended: ${this.log}`);
        return this.heard.find((line) => line.id === id && line.method === undefined);
      },
      120,
    );
    if (answer.error) throw new Error(`${method}: ${answer.error.message}`);
    return answer.result ?? {};
  }

  say(message: Record<string, unknown>): void {
    this.#process.stdin?.write(`${JSON.stringify(message)}\n`);
  }

  /** The agent's question whether it may do something; waits for it. */
  async asked(title: RegExp): Promise<Line> {
    const isMeant = (line: Line): boolean =>
      line.method === "session/request_permission" && title.test(JSON.stringify(line.params?.["toolCall"]));
    return until("the agent asks", () => this.heard.find(isMeant), 60);
  }

  /** Allows what was asked for, once. */
  allow(question: Line): void {
    const options = question.params?.["options"] as { kind: string; optionId: string }[];
    const optionId = options.find(({ kind }) => kind === "allow_once")?.optionId;
    this.say({ jsonrpc: "2.0", id: question.id, result: { outcome: { outcome: "selected", optionId } } });
  }

  /** Allows whatever is asked for from now on. */
  allowAll(): void {
    this.#allowsAll = true;
  }

  /** The plans that it was sent, oldest first. */
  get plans(): Entry[][] {
    const updates = this.heard.map((line) => line.params?.["update"] as Record<string, unknown> | undefined);
    return updates.flatMap((update) =>
      update?.["sessionUpdate"] === "plan" ? [update["entries"] as Entry[]] : [],
    );
  }

  /** Hangs up, and waits for the agent's end; its exit code. */
  async end(): Promise<number | null> {
    this.#process.stdin?.end();
    await within(60, "the agent ends", this.#ended);
    return this.#process.exitCode;
  }

  /** Ends it as the system does. */
  terminate(): void {
    this.#process.kill("SIGTERM");
  }

  /** Ends it for good, when the test is over. */
  stop(): void {
    if (this.#process.exitCode === null) this.#process.kill("SIGKILL");
  }
}
