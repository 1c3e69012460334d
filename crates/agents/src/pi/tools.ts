// Sightline's tools: written by `sightline connect pi`, removed by `sightline disconnect pi`.
//
// pi has no MCP, so this starts Sightline's tool server for each session and gives its tools to the model.
import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { type ExtensionAPI, VERSION } from "@earendil-works/pi-coding-agent";

const PROGRAM = "@PROGRAM@";
const ARGUMENTS: string[] = ["@ARGUMENTS@"];

/** Set while one is at work: the user and the project may both have it. */
const AT_WORK = Symbol.for("sightline tools");

/** Milliseconds that the server has to begin. */
const PATIENCE = 10_000;

type Members = Record<string, unknown>;

/** The tool server, spoken to in lines of JSON-RPC. */
class Server {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, { resolve(result: any): void; reject(error: Error): void }>();
  #last = 0;

  constructor(session: string, folder: string) {
    // The server is told its session, so that its calls and the reported events belong together.
    const env = { ...process.env, PI_SESSION_ID: session, PI_VERSION: VERSION };
    this.#child = spawn(PROGRAM, ARGUMENTS, { cwd: folder, env, stdio: ["pipe", "pipe", "ignore"], windowsHide: true });
    const ended = (): void => this.#end();
    this.#child.on("error", ended).on("exit", ended);
    this.#child.stdin!.on("error", ended);
    createInterface({ input: this.#child.stdout! }).on("line", (line) => this.#hear(line));
  }

  ask(method: string, params: Members, signal?: AbortSignal): Promise<any> {
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#send({ id, method, params });
      signal?.addEventListener("abort", () => {
        if (!this.#waiting.delete(id)) return;
        this.tell("notifications/cancelled", { requestId: id });
        reject(new Error("The call was cancelled."));
      });
    });
  }

  tell(method: string, params: Members = {}): void {
    this.#send({ method, params });
  }

  close(): void {
    this.#child.stdin!.end();
  }

  #send(message: Members): void {
    this.#child.stdin!.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  #hear(line: string): void {
    const { id, result, error } = JSON.parse(line);
    const asked = this.#waiting.get(id);
    if (!asked) return;
    this.#waiting.delete(id);
    if (error) asked.reject(new Error(error.message));
    else asked.resolve(result);
  }

  #end(): void {
    for (const { reject } of this.#waiting.values()) reject(new Error("Sightline's tool server has ended."));
    this.#waiting.clear();
  }
}

export default function tools(pi: ExtensionAPI): void {
  const shared = globalThis as { [AT_WORK]?: ExtensionAPI };
  let server: Server | undefined;

  pi.on("session_start", async (_event, ctx) => {
    if ((shared[AT_WORK] ??= pi) !== pi) return;
    const begun = new Server(ctx.sessionManager.getSessionId(), ctx.cwd);
    server = begun;
    try {
      const signal = AbortSignal.timeout(PATIENCE);
      const client = {
        protocolVersion: "2025-11-25",
        capabilities: {},
        clientInfo: { name: "pi", version: VERSION },
      };
      const { instructions } = await begun.ask("initialize", client, signal);
      begun.tell("notifications/initialized");
      const offered = await begun.ask("tools/list", {}, signal);
      for (const { name, title, description, inputSchema } of offered.tools) {
        pi.registerTool({
          name,
          label: title,
          description,
          promptSnippet: title,
          promptGuidelines: name === "todo_write" ? [instructions] : [],
          parameters: inputSchema,
          async execute(_call, params, signal) {
            const { content, isError } = await begun.ask("tools/call", { name, arguments: params }, signal);
            // pi takes an error from nothing but an exception.
            if (isError) throw new Error(content.map((part: Members) => part["text"]).join("\n"));
            return { content, details: undefined };
          },
        });
      }
    } catch (error) {
      if (ctx.hasUI) ctx.ui.notify(`Sightline's tools are missing: ${(error as Error).message}`, "warning");
    }
  });

  pi.on("session_shutdown", () => {
    server?.close();
    if (shared[AT_WORK] === pi) delete shared[AT_WORK];
  });
}
