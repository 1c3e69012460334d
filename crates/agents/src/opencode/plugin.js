// Sightline's plugin: written by `sightline connect @AGENT@`, removed by `sightline disconnect @AGENT@`.
//
// It reports what happens in each session to `sightline hook @AGENT@`. An answer is what the user changed, as the model
// has to be told. Nothing here may throw: that would end the agent's turn.
import { spawn, spawnSync } from "node:child_process";

const [PROGRAM, ...HOOK] = ["@WORDS@"];
const SECONDS = 0; // @SECONDS@
const LIMIT = { timeout: 5000, windowsHide: true };

/** The plugin at work in each folder: the user and the project may both have it. */
const AT_WORK = (globalThis[Symbol.for("sightline")] ??= new Map());

// `opencode run` ends with its turn, so nothing can be added there.
const END = HOOK[1] === "opencode" && process.argv.includes("run") ? "SessionIdle" : "Stop";

const isOurs = (tool) => /(^|_)sightline_todo_(write|read|manager)$/.test(tool);

function answerIn(text) {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}

/** The answer of our hook to an event; empty where there is nothing to say. */
function ask(event, words = HOOK, timeout = LIMIT.timeout) {
  return new Promise((resolve, reject) => {
    const hook = spawn(PROGRAM, words, { ...LIMIT, timeout, stdio: ["pipe", "pipe", "ignore"] });
    let text = "";
    hook.on("error", reject).on("close", () => resolve(answerIn(text)));
    hook.stdout.setEncoding("utf8").on("data", (part) => (text += part));
    hook.stdin.on("error", () => {}).end(JSON.stringify(event));
  }).catch(() => ({}));
}

/** The same, before anything else happens: the process may end with the turn. */
function askAtOnce(event) {
  try {
    return answerIn(
      spawnSync(PROGRAM, HOOK, { ...LIMIT, input: JSON.stringify(event), encoding: "utf8" }).stdout,
    );
  } catch {
    return {};
  }
}

const contextIn = (answer) => answer.hookSpecificOutput?.additionalContext;

export const Sightline = async ({ client, directory }) => {
  const own = {};
  AT_WORK.set(directory, own);
  const isAtWork = () => AT_WORK.get(directory) === own;

  /** The sessions that were heard of, each with the one at the top, whose subagent it may be. */
  const tops = new Map();
  /** Those whose last turn has failed. */
  const failed = new Set();
  /** Arguments of calls, by their ids: a permission tells a part of them only. */
  const calls = new Map();
  /** Calls about which the user is asked here as well, by the ids of the requests. */
  const waiting = new Map();

  async function topOf(id) {
    if (!tops.has(id)) {
      const session = await client.session.get({ path: { id } }).catch(() => undefined);
      const parent = session?.data?.parentID;
      tops.set(id, parent ? await topOf(parent) : id);
    }
    return tops.get(id);
  }

  const event = (hook_event_name, id, more) => {
    const top = tops.get(id);
    const subagent = top === id ? {} : { agent_id: id };
    return { hook_event_name, session_id: top, ...subagent, cwd: directory, ...more };
  };

  const asked = async (name, id, more) => {
    if (!isAtWork()) return {};
    await topOf(id);
    return ask(event(name, id, more));
  };

  /** Has the user asked here, beside the agent's own prompt: the first answer counts. */
  async function decide(id, request, call, answers) {
    if (!isAtWork()) return;
    await topOf(id);
    waiting.set(request, call);
    const asking = [...HOOK, "--answers", String(SECONDS)];
    const answer = await ask(event("PermissionRequest", id, call), asking, (SECONDS + 5) * 1000);
    const decision = answer.hookSpecificOutput?.decision;
    if (!decision || !waiting.has(request)) return;
    const [url, body] = answers(decision);
    const headers = { "Content-Type": "application/json" };
    await client._client.post({ url, path: { requestID: request }, body, headers });
  }

  function asks(id, { id: request, permission, tool, metadata }) {
    const call = { tool_name: permission, tool_input: calls.get(tool?.callID) ?? metadata };
    return SECONDS ? decide(id, request, call, permitted) : asked("PermissionRequest", id, call);
  }

  function questions(id, { id: request, questions }) {
    const call = { tool_name: "question", tool_input: { questions } };
    if (SECONDS) return decide(id, request, call, answered);
    return asked("Notification", id, { message: questions?.[0]?.question });
  }

  const permitted = ({ behavior, message }) => [
    "/permission/{requestID}/reply",
    behavior === "allow" ? { reply: "once" } : { reply: "reject", ...(message && { message }) },
  ];

  const answered = ({ behavior, answers }) =>
    behavior === "allow" ? ["/question/{requestID}/reply", { answers }] : ["/question/{requestID}/reject", {}];

  function idle(id) {
    // It is idle after an error, too. A subagent's end is not its agent's.
    if (!isAtWork() || failed.has(id) || tops.get(id) !== id) return;
    const { decision, reason } = askAtOnce(event(END, id));
    if (decision !== "block") return;
    const parts = [{ type: "text", text: reason, synthetic: true }];
    client.session.promptAsync({ path: { id }, body: { parts } }).catch(() => {});
  }

  return {
    event: async ({ event: { type, properties } }) => {
      const id = properties?.sessionID;
      switch (type) {
        case "session.idle":
          return idle(id);
        case "session.error":
          // One that the user has stopped rests.
          if (!id || properties.error?.name === "MessageAbortedError") return;
          failed.add(id);
          if (isAtWork() && tops.has(id))
            askAtOnce(event("StopFailure", id, { error: properties.error?.data?.message }));
          return;
        case "permission.asked":
          return asks(id, properties).catch(() => {});
        case "question.asked":
          return questions(id, properties).catch(() => {});
        case "permission.replied":
        case "question.replied":
        case "question.rejected": {
          const call = waiting.get(properties.requestID);
          waiting.delete(properties.requestID);
          await asked("Answered", id, call);
        }
      }
    },

    "chat.message": async ({ sessionID }, { parts }) => {
      const words = parts.filter((part) => part.type === "text" && !part.synthetic).map((part) => part.text);
      if (!words.length) return;
      failed.delete(sessionID);
      // `run` puts a prompt of several words in quotes.
      const prompt = words.join("\n").replace(/^"(.*)"$/s, "$1");
      const text = contextIn(await asked("UserPromptSubmit", sessionID, { prompt }));
      if (!text) return;
      // Parts are in the order of their ids.
      const { id, messageID } = parts.at(-1);
      parts.push({ id: `${id}0`, messageID, sessionID, type: "text", text, synthetic: true });
    },

    "tool.execute.before": async ({ tool, sessionID, callID }, { args }) => {
      // Calls that fail are not heard of again.
      if (calls.size > 100) calls.clear();
      if (SECONDS) calls.set(callID, args);
      if (isOurs(tool)) await asked("PreToolUse", sessionID, { tool_name: tool, tool_input: args });
    },

    "tool.execute.after": async ({ tool, sessionID, callID, args }, output) => {
      calls.delete(callID);
      const more = { tool_name: tool };
      if (isOurs(tool)) more.tool_response = output;
      if (tool === "todowrite") more.tool_input = args;
      const text = contextIn(await asked("PostToolUse", sessionID, more));
      if (!text || !output) return;
      if (Array.isArray(output.content)) output.content.push({ type: "text", text });
      else output.output += `\n\n${text}`;
    },
  };
};
