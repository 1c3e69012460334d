import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { call } from "../../agents/scripted.ts";
import type { Todo } from "../../parts/agent.ts";
import { changeJson, installed, type Started } from "../started.ts";

/** Tools that it may use without asking; as root it refuses to be free of all questions. */
const ALLOWED = "mcp__sightline__todo_write,Bash,Agent,TaskCreate,TaskUpdate";

/** The calls after which its tasks are these; a task's id is its place. */
function tasks(todos: Todo[], before: Todo[]) {
  const create = todos
    .slice(before.length)
    .map(({ content, activeForm }) =>
      call("TaskCreate", { subject: content, description: content, activeForm }),
    );
  const isAsBefore = (status: string | undefined, at: number): boolean =>
    status === (before[at]?.status ?? "pending");
  const update = todos.flatMap(({ status }, at) =>
    isAsBefore(status, at) ? [] : [call("TaskUpdate", { taskId: String(at + 1), status })],
  );
  return [...create, ...update];
}

export const claude: Started = {
  name: "claude",
  title: "Claude Code",
  program: [join(installed("claude"), "@anthropic-ai/claude-code-linux-x64/claude")],
  environment: (model) => ({
    ANTHROPIC_BASE_URL: model.address,
    ANTHROPIC_API_KEY: "none",
    ANTHROPIC_MODEL: "claude-opus-5",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
  }),
  prepare(folder, model) {
    // Its own command writes its configuration, and leaves an empty place for servers where there was one.
    const env = folder.environment(this.environment(model));
    const run = (...args: string[]): void => void execFileSync(this.program[0]!, ["mcp", ...args], { env });
    run("add-json", "--scope", "user", "other", JSON.stringify({ type: "stdio", command: "other" }));
    run("remove", "--scope", "user", "other");
  },
  connectOverHttp(folder, { url, headers }) {
    changeJson(join(folder.home, ".claude.json"), (settings) => {
      settings.mcpServers = { sightline: { type: "http", url, headers, alwaysLoad: true } };
    });
  },
  arguments(prompt, variant) {
    const earlier = {
      resumed: ["--continue"],
      forked: ["--continue", "--fork-session"],
      "without hooks": ["--settings", JSON.stringify({ disableAllHooks: true })],
    };
    const what = ["-p", prompt, ...(variant ? earlier[variant] : [])];
    return [...what, "--allowedTools", ALLOWED, "--output-format", "stream-json", "--verbose"];
  },
  variants: ["resumed", "forked", "without hooks"],
  before: [],
  write: (args) => call("mcp__sightline__todo_write", args),
  other: call("Bash", { command: "pwd", description: "Shows the folder" }),
  hears: ["tool", "prompt", "end"],
  builtIn: { tool: "TaskUpdate", keep: tasks, hasSwitch: true, comesBy: "hook", isEditable: true },
  delegate: (prompt) => call("Agent", { description: "A part", prompt, subagent_type: "general-purpose" }),
};
