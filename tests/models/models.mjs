// A scripted server that speaks as OpenAI, Anthropic, Gemini and Ollama do. Says its address in a line, and ends with
// its standard input.
import { LLMock } from "@copilotkit/aimock";

const mock = new LLMock({ port: 0, chunkSize: 4, logLevel: "silent" });
const calls = [
  { name: "read", arguments: '{"path":"ä.txt","lines":[1,2]}', id: "call_a" },
  { name: "now", arguments: "{}", id: "call_b" },
];
mock.on({ hasToolResult: true }, { content: "Thanks for the results." });
mock.onMessage("plain", { content: "Hello there, wörld. <think>x</think>", reasoning: "Let me see." });
mock.onMessage("calls", { toolCalls: calls });
mock.onMessage("both", { content: "I read it.", toolCalls: calls });
// It destroys its socket with whatever was not sent yet: the pause lets the first chunks out.
mock.onMessage("cut", { content: "This answer is never whole." }, { truncateAfterChunks: 6, latency: 50 });
mock.onMessage("refused", { error: { message: "no such thing" }, status: 404 });
await mock.start();
console.log(mock.url);
process.stdin.on("end", () => mock.stop().then(() => process.exit(0))).resume();
