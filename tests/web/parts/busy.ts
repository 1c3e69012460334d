// Ten sessions that are written to once a second.
import type { Todo } from "./agent.ts";
import type { Runtime } from "./gateway.ts";
import { Socket } from "./socket.ts";

export const AGENTS = 10;

const WORDS = [
  "Read",
  "Look at the tests of the parser, which fail on comments in blocks that are cut off, and say why",
  "Write",
  "Go through every file below crates/gateway, and note where a limit is missing or has no test of its own",
];

/** A list that goes on: some steps end, some have long words, one is added now and then. */
export function list(agent: number, round: number): Todo[] {
  const at = round % 4;
  return Array.from({ length: 6 + ((agent + round) % 3) }, (_, step) => ({
    content: `${WORDS[(agent + step) % WORDS.length]} ${step}`,
    status: step < at ? "completed" : step === at ? "in_progress" : "pending",
    activeForm: `${WORDS[(agent + step + round) % WORDS.length]} ${step}`,
  }));
}

/** Two projects with several sessions, and sessions that are alone in theirs. */
const PROJECTS = ["api", "api", "api", "search", "search", "search", "search", "cli", "docs", "website"];

/** A session of one of the projects, whose agent says what it does. */
export class BusySession {
  readonly #socket: Socket;

  private constructor(socket: Socket) {
    this.#socket = socket;
  }

  static async open(gateway: Runtime, number: number): Promise<BusySession> {
    const socket = await Socket.open(gateway);
    const project = PROJECTS[number]!;
    const ownSession = `0199aa11-0007-7000-8000-00000000000${number}`;
    const agent = { agent: { name: `agent-${number}` }, ownSession, project, folder: `/home/me/${project}` };
    await socket.ask("hello", { agent });
    return new BusySession(socket);
  }

  /** Gives the selector of what shows this revision on a page. */
  async write(todos: Todo[]): Promise<string> {
    const { sessionId, revision } = await this.#socket.ask("todo.write", { todos });
    return `[data-session="${String(sessionId)}"][data-revision="${String(revision)}"]`;
  }

  async report(happened: "worked" | "waits" | "rests"): Promise<void> {
    await this.#socket.ask("session.report", { happened, text: "Go on", listens: false });
  }

  close(): void {
    this.#socket.close();
  }
}
