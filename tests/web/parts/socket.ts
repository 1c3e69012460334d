import WebSocket from "ws";
import type { Runtime } from "./gateway.ts";
import { until } from "./process.ts";

export type Message = Record<string, unknown> & { type: string };

/** A plain WebSocket client of `/gateway`. */
export class Socket {
  readonly seen: Message[] = [];
  #ids = 0;

  private constructor(readonly connection: WebSocket) {
    connection.on("message", (data) => this.seen.push(JSON.parse(String(data)) as Message));
  }

  static async open(gateway: Runtime): Promise<Socket> {
    const connection = new WebSocket(`ws://127.0.0.1:${gateway.port}/gateway`, {
      headers: { Authorization: `Bearer ${gateway.token}` },
    });
    const socket = new Socket(connection);
    await new Promise((resolve, reject) => connection.once("open", resolve).once("error", reject));
    return socket;
  }

  async ask(type: string, fields: Record<string, unknown> = {}): Promise<Message> {
    const id = `q${++this.#ids}`;
    this.connection.send(JSON.stringify({ type, id, ...fields }));
    const answer = await this.first(
      (m) => (m.id === id && m.type === `${type}.result`) || (m.requestId === id && m.type !== "todo.update"),
    );
    if (answer.type === "error") throw new Error(`${answer.code}: ${answer.message}`);
    return answer;
  }

  /** The first message that is wanted; waits for it. */
  async first(wanted: (message: Message) => boolean): Promise<Message> {
    return until("the message comes", () => this.seen.find(wanted));
  }

  close(): void {
    this.connection.close();
  }
}
