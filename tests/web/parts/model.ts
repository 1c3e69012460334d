import { writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join, resolve } from "node:path";
import type { DataFolder } from "./gateway.ts";
import { until } from "./process.ts";

const PROGRAM = resolve(import.meta.dirname, "../../models/node_modules/@copilotkit/aimock/dist/cli.js");
const NAME = "scripted";

export type Answer = Record<string, unknown>;
type ChatProvider = { name: string; kind: string; endpoint: string };
type Call = [tool: string, args: Record<string, unknown>];

/** An answer of words; `latency` is in milliseconds between its pieces. */
export function says(content: string, latency = 0): Answer {
  return { content, ...(latency > 0 && { latency }) };
}

/** An answer of JSON. */
export function thinks(value: unknown): Answer {
  return says(JSON.stringify(value));
}

/** An answer that calls tools. */
export function calls(...made: Call[]): Answer {
  return { toolCalls: made.map(([name, args]) => ({ name, arguments: JSON.stringify(args) })) };
}

export const SIMPLE = thinks({ complex: false });
export const COMPLEX = thinks({ complex: true });
export const DONE = thinks({ done: true, reason: "all of it is there" });

export function plan(...contents: string[]): Answer {
  return steps(...contents.map((content) => ({ content })));
}

/** A plan that says which tools it takes. */
export function steps(...all: { content: string; tool?: string }[]): Answer {
  return thinks({ steps: all });
}

/** Completes the item of that number. */
export function completes(number: number): Answer {
  return calls(["todo_manager", { action: "complete_multiple", ids: [number] }]);
}

/**
 * A model that gives these answers one after the other, and others beside it; the settings that make it the built-in
 * agent's.
 */
export async function scripted(
  folder: DataFolder,
  answers: Answer[],
  others: Record<string, Answer[]> = {},
): Promise<{ chatProviders: ChatProvider[]; chatModel: string }> {
  const fixtures = Object.entries({ [NAME]: answers, ...others }).flatMap(([model, all]) =>
    all.map(({ latency, ...response }, sequenceIndex) => ({
      match: { model, sequenceIndex },
      response,
      ...(latency !== undefined && { latency }),
    })),
  );
  const script = join(folder.root, "script.json");
  writeFileSync(script, JSON.stringify({ fixtures }));
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as { port: number };
  await new Promise((done) => server.close(done));
  const model = folder.spawn("model", process.execPath, [PROGRAM, "-p", `${port}`, "-f", script, "--strict"]);
  // It would wait for its slow answers, and for connections that the gateway keeps open.
  model.endsBy = "SIGKILL";
  await until("the scripted model listens", async () => {
    if (model.hasEnded) throw new Error(`the scripted model has ended: ${model.output}`);
    return fetch(`http://127.0.0.1:${port}/__aimock/journal`).then(
      (response) => response.ok,
      () => false,
    );
  });
  return {
    chatProviders: [{ name: "mock", kind: "openai", endpoint: `http://127.0.0.1:${port}/v1/` }],
    chatModel: `mock:${NAME}`,
  };
}
