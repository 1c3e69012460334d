import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { Runtime } from "./gateway.ts";

export interface Todo {
  uid?: string;
  id?: string;
  content: string;
  status?: string;
  activeForm?: string;
  priority?: string;
  reason?: string;
  subtasks?: Todo[];
}

/** The structured part of a result with the list as the resource has it, and the text that a model reads. */
export interface Written {
  sessionId: string;
  revision: number;
  todos: (Todo & { uid: string })[];
  /** The lines of the text that say what the user changed. */
  userChanges: string[];
  text: string;
}

/** A real MCP client over HTTP, as an agent has it. */
export class Agent {
  private constructor(
    readonly client: Client,
    readonly transport: StreamableHTTPClientTransport,
  ) {}

  static async connect(gateway: Runtime, name = "playwright-agent", label?: string): Promise<Agent> {
    const address = new URL(`http://127.0.0.1:${gateway.port}/mcp${label ? `/${label}` : ""}`);
    const transport = new StreamableHTTPClientTransport(address, {
      requestInit: { headers: { Authorization: `Bearer ${gateway.agentToken}` } },
    });
    const client = new Client({ name, version: "1.2.3" });
    await client.connect(transport);
    return new Agent(client, transport);
  }

  async write(todos: Todo[], session?: string): Promise<Written> {
    return this.#call("todo_write", session ? { todos, session } : { todos });
  }

  async read(): Promise<Written> {
    return this.#call("todo_read", {});
  }

  async close(): Promise<void> {
    await this.client.close();
  }

  async #call(name: string, args: Record<string, unknown>): Promise<Written> {
    const result = await this.client.callTool({ name, arguments: args });
    const text = (result.content as { type: string; text?: string }[])
      .map((part) => part.text ?? "")
      .join("\n");
    if (result.isError) throw new Error(text);
    const part = result.structuredContent as { sessionId: string; news?: string };
    const { contents } = await this.client.readResource({ uri: `todo://list/${part.sessionId}` });
    const { todos } = JSON.parse((contents[0] as { text: string }).text) as Pick<Written, "todos">;
    const userChanges = (part.news ?? "").split("\n").filter((line) => /^(- |The user tells you)/.test(line));
    return { ...part, todos, userChanges, text } as Written;
  }
}

export function contents(todos: Todo[]): string[] {
  return todos.map((todo) => todo.content);
}

/** A list as an agent that took notice sends it again. */
export function asSent(todos: Todo[]): Todo[] {
  return todos.map(({ id, content, status, activeForm }) => ({
    content,
    ...(id && { id }),
    ...(status && { status }),
    ...(activeForm && { activeForm }),
  }));
}
