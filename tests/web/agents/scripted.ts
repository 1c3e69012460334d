import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import {
  type ChatCompletionRequest,
  type ChatMessage,
  type FixtureResponse,
  LLMock,
} from "@copilotkit/aimock";
import { until, within } from "../parts/process.ts";

/** A model on loopback that the test plays: each request of the agent waits until the test answers it. */
export class Model {
  readonly #mock = new LLMock({ port: 0, host: "127.0.0.1" });
  #waiting: { messages: ChatMessage[]; answer: (response: FixtureResponse) => void }[] = [];
  #ended = false;

  static async start(): Promise<Model> {
    const model = new Model();
    model.#mock.on({ endpoint: "chat" }, (request) => model.#take(request));
    model.#mock.mount("/v1/responses", {
      handleRequest: async (_request, response) => {
        withNamespaces(response);
        return false;
      },
    });
    model.#mock.mount("/v1/messages", {
      handleRequest: async (request) => {
        await withSystemMessages(request);
        return false;
      },
    });
    await model.#mock.start();
    return model;
  }

  get address(): string {
    return this.#mock.url;
  }

  /** Each request up to now, as it came. */
  get requests(): string[] {
    return this.#mock.getRequests().map((entry) => JSON.stringify(entry.body));
  }

  /** The request that waits for an answer: the whole conversation, its newest message last. Where two go on at once,
   * `prompt` says which. */
  async asked(prompt = ""): Promise<ChatMessage[]> {
    const { messages } = await until("the agent asks the model", () => this.#find(prompt), 60);
    return messages;
  }

  async answer(response: FixtureResponse, prompt = ""): Promise<void> {
    await this.asked(prompt);
    const found = this.#find(prompt);
    this.#waiting = this.#waiting.filter((one) => one !== found);
    found?.answer(response);
  }

  /** From now on each request has the last word for an answer: an agent may ask more, such as for its memory. */
  answerAll(): void {
    this.#ended = true;
    for (const { answer } of this.#waiting.splice(0)) answer(LAST_WORD);
  }

  async stop(): Promise<void> {
    this.answerAll();
    await within(30, "the model ends", this.#mock.stop());
  }

  #take(request: ChatCompletionRequest): FixtureResponse | Promise<FixtureResponse> {
    // Without tools it is asked for a title.
    if (!request.tools?.length) return { content: "A release" };
    if (this.#ended) return LAST_WORD;
    return new Promise((answer) => this.#waiting.push({ messages: request.messages, answer }));
  }

  #find(prompt: string) {
    const isOf = ({ role, content }: ChatMessage): boolean =>
      role === "user" && JSON.stringify(content).includes(prompt);
    return this.#waiting.find(({ messages }) => messages.some(isOf));
  }
}

/** Codex takes a tool by its namespace, a server's too, and its name; the mock has one name only. */
function withNamespaces(response: ServerResponse): void {
  const write = response.write.bind(response) as (chunk: unknown) => boolean;
  const named = /"name":"(mcp__[a-z]+|multi_agent_v1)__(\w+)"/g;
  response.write = (chunk: unknown): boolean =>
    write(typeof chunk === "string" ? chunk.replace(named, '"namespace":"$1","name":"$2"') : chunk);
}

/** Claude Code tells its newer models some things as the system's in the midst of a conversation, which the mock drops. */
async function withSystemMessages(request: IncomingMessage): Promise<void> {
  const body = await text(request);
  const again = Readable.from([Buffer.from(body.replaceAll('"role":"system"', '"role":"user"'))]);
  request.on = again.on.bind(again) as typeof request.on;
}

/** An answer without a call: the agent is done. */
export const LAST_WORD: FixtureResponse = { content: "That is all." };

/** An answer that calls a tool. */
export function call(name: string, args: Record<string, unknown>): FixtureResponse {
  return { toolCalls: [{ name, arguments: JSON.stringify(args) }] };
}

/** The results of the tools, oldest first, as the model reads them. */
export function results(conversation: ChatMessage[]): string[] {
  return conversation.filter((message) => message.role === "tool").map(textOf);
}

/** The messages that came to the conversation since then, as the model reads them. */
export function since(before: ChatMessage[], now: ChatMessage[]): string[] {
  return now.slice(before.length).map(textOf);
}

export function textOf(message: ChatMessage | undefined): string {
  const content = message?.content ?? "";
  return typeof content === "string" ? content : JSON.stringify(content);
}
