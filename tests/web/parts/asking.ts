import type { Runtime } from "./gateway.ts";
import { Socket, type Message } from "./socket.ts";

const FOLDER = "/home/me/billing";

/** An agent at work, which asks. */
export class Asking {
  private constructor(readonly socket: Socket) {}

  static async begin(runtime: Runtime, name = "claude", own = "own-1"): Promise<Asking> {
    const socket = await Socket.open(runtime);
    await socket.ask("hello", {
      agent: { agent: { name }, ownSession: own, folder: FOLDER, project: "billing" },
    });
    await socket.ask("session.report", {
      happened: "prompted",
      text: "Prepare the release",
      listens: false,
      begins: true,
    });
    return new Asking(socket);
  }

  /** Asks; the answer comes when somebody has decided. */
  ask(tool: string, args: unknown, more: Record<string, unknown> = {}): Promise<Message> {
    return this.socket.ask("permission.ask", {
      tool,
      input: JSON.stringify(args),
      waitSeconds: 600,
      ...more,
    });
  }
}
