// Sightline's plugin: written by `sightline connect @AGENT@`, removed by `sightline disconnect @AGENT@`.
//
// It reports what happens in each session to `sightline hook @AGENT@`. An answer is what the user changed, as the model
// has to be told. Nothing here may throw: that would end the agent's turn.
import { spawn, spawnSync } from "node:child_process";

const [PROGRAM, ...HOOK] = ["@WORDS@"];
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
function ask(event) {
  return new Promise((resolve, reject) => {
    const hook = spawn(PROGRAM, HOOK, { ...LIMIT, stdio: ["pipe", "pipe", "ignore"] });
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
          await asked("PermissionRequest", id, { tool_name: properties.permission });
          return;
        case "question.asked":
          await asked("Notification", id, { message: properties.questions?.[0]?.question });
          return;
        case "permission.replied":
        case "question.replied":
        case "question.rejected":
          await asked("Answered", id);
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

    "tool.execute.before": async ({ tool, sessionID }, { args }) => {
      if (isOurs(tool)) await asked("PreToolUse", sessionID, { tool_name: tool, tool_input: args });
    },

    "tool.execute.after": async ({ tool, sessionID, args }, output) => {
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
