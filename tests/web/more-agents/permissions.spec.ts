// Permission prompts of real programs in a terminal, answered here and there: headless there is no prompt to answer.
import { appendFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { call, LAST_WORD, Model, results, textOf } from "../agents/scripted.ts";
import type { DataFolder, Gateway } from "../parts/gateway.ts";
import { until } from "../parts/process.ts";
import { Socket } from "../parts/socket.ts";
import { claude } from "./agents/claude.ts";
import { codex } from "./agents/codex.ts";
import { opencode } from "./agents/opencode.ts";
import { qwen } from "./agents/qwen.ts";
import { AGENTS } from "./agents/index.ts";
import { connected, PROMPT, sessions } from "./run.ts";
import { changeJson, project, start, type Started } from "./started.ts";
import { Terminal } from "./terminal.ts";
import { expect, test } from "./test.ts";

interface Permission {
  permissionId: string;
  sessionId: string;
  state: string;
  tool: string;
  command?: string;
  alone?: boolean;
}

/** An agent in a terminal, as a user has it who has set it up. */
interface InTerminal {
  agent: Started;
  /** Settings that keep it from asking how it looks and whom it trusts. */
  settle(folder: DataFolder): void;
  arguments: string[];
  /** A call of its shell. */
  runs(command: string): ReturnType<typeof call>;
  /** Its own prompt, and the key that allows in it. */
  prompt: RegExp;
  allows: string;
  /** True if its own prompt is there while ours waits. */
  isBeside: boolean;
}

const CLAUDE: InTerminal = {
  agent: claude,
  settle(folder) {
    changeJson(join(folder.home, ".claude.json"), (settings) => {
      settings.hasCompletedOnboarding = true;
      settings.theme = "dark";
      settings.customApiKeyResponses = { approved: ["none"], rejected: [] };
      const trusted = { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true };
      settings.projects = { ...settings.projects, [project(folder)]: trusted };
    });
  },
  // Its newest default decides for the user.
  arguments: ["--permission-mode", "default"],
  runs: (command) => call("Bash", { command, description: "Makes a file" }),
  prompt: /Do you want to/,
  allows: "1",
  isBeside: true,
};

const CODEX: InTerminal = {
  agent: codex,
  settle(folder) {
    const trusted = `\n[projects."${project(folder)}"]\ntrust_level = "trusted"\n`;
    appendFileSync(join(folder.home, ".codex/config.toml"), trusted);
  },
  arguments: ["-a", "on-request", "-s", "read-only", "--dangerously-bypass-hook-trust", "--no-alt-screen"],
  runs: (cmd) =>
    call("exec_command", { cmd, sandbox_permissions: "require_escalated", justification: "Makes a file" }),
  prompt: /Would you like to run/,
  allows: "y",
  isBeside: false,
};

const QWEN: InTerminal = {
  agent: qwen,
  settle: () => undefined,
  arguments: ["--auth-type", "openai", "--approval-mode", "default", "-i"],
  runs: (command) =>
    call("run_shell_command", { command, description: "Makes a file", is_background: false }),
  prompt: /Allow execution/,
  allows: "1",
  isBeside: false,
};

const OPENCODE: InTerminal = {
  agent: opencode,
  settle(folder) {
    changeJson(join(folder.home, ".config/opencode/opencode.json"), (settings) => {
      settings.permission = { bash: "ask" };
    });
  },
  arguments: ["--prompt"],
  runs: (command) => call("bash", { command, description: "Makes a file" }),
  prompt: /Permission required/,
  allows: "\r",
  isBeside: true,
};

/** The agent, which was given a prompt and has asked its model. */
class Run {
  private constructor(
    readonly how: InTerminal,
    readonly gateway: Gateway,
    readonly model: Model,
    readonly terminal: Terminal,
    readonly user: Socket,
  ) {}

  static async start(how: InTerminal, gateway: Gateway, seconds: number): Promise<Run> {
    const model = await Model.start();
    const { folder } = gateway;
    await connected(how.agent, gateway, model, "stdio", "--answers", String(seconds));
    how.settle(folder);
    const user = await Socket.open(gateway.runtime);
    const terminal = new Terminal(how.agent, folder, model, [...how.arguments, PROMPT]);
    return new Run(how, gateway, model, terminal, user);
  }

  /** The model calls the shell. */
  async calls(command: string): Promise<void> {
    try {
      await this.model.answer(this.how.runs(command));
    } catch (error) {
      throw new Error(`${String(error)}\n${this.terminal.screen}`);
    }
  }

  /** The permission that waits. */
  async asked(): Promise<Permission> {
    const first = async (): Promise<Permission | undefined> =>
      ((await this.user.ask("permission.list"))["permissions"] as Permission[])[0];
    try {
      return await until("a permission waits", first, 60);
    } catch (error) {
      throw new Error(`${String(error)}\n${this.terminal.screen}`);
    }
  }

  async answers({ sessionId, permissionId }: Permission, allow: boolean, message?: string): Promise<void> {
    await this.user.ask("permission.answer", { sessionId, permissionId, allow, message });
  }

  async state({ sessionId, permissionId }: Permission): Promise<string | undefined> {
    const all = (await this.user.ask("permission.list", { sessionId }))["permissions"] as Permission[];
    return all.find((one) => one.permissionId === permissionId)?.state;
  }

  has(file: string): boolean {
    return existsSync(join(project(this.gateway.folder), file));
  }

  async end(): Promise<void> {
    this.terminal.end();
    this.user.close();
    await this.model.stop();
  }
}

for (const how of [CLAUDE, CODEX, QWEN, OPENCODE]) {
  const { agent, isBeside } = how;

  test.describe(agent.name, () => {
    test.skip(!AGENTS.includes(agent), "SIGHTLINE_AGENTS leaves it out");

    // S16
    test(`${agent.name} runs what is allowed here, and reads why something is not`, async ({ gateway }) => {
      const run = await Run.start(how, gateway, 60);
      try {
        await run.calls("touch allowed-here");
        const first = await run.asked();
        expect(first.command).toContain("touch allowed-here");
        expect(first.alone ?? false).toBe(!isBeside);
        expect((await sessions(run.user)).map(({ state }) => state)).toEqual(["waiting"]);
        expect(run.has("allowed-here")).toBe(false);
        await run.answers(first, true);
        await run.model.asked();
        expect(run.has("allowed-here")).toBe(true);

        await run.calls("touch denied-here");
        const second = await run.asked();
        await run.answers(second, false, "Use the staging database.");
        const told = (await run.model.asked()).map(textOf).join("\n");
        expect(told).toContain("Use the staging database.");
        expect(run.has("denied-here")).toBe(false);
        await run.model.answer(LAST_WORD);
        await run.terminal.shows("That is all.");
      } finally {
        await run.end();
      }
    });

    // S16
    test(`${agent.name} asks by itself where nobody answers here`, async ({ gateway }) => {
      const run = await Run.start(how, gateway, 8);
      try {
        await run.calls("touch allowed-there");
        const permission = await run.asked();
        if (!isBeside) expect(run.terminal.screen).not.toMatch(how.prompt);
        await run.terminal.shows(how.prompt);
        if (!isBeside) expect(await run.state(permission)).toBe("expired");
        run.terminal.type(how.allows);
        await run.model.asked();
        expect(run.has("allowed-there")).toBe(true);
        const settled = isBeside ? "elsewhere" : "expired";
        await expect.poll(() => run.state(permission)).toBe(settled);
      } finally {
        await run.end();
      }
    });

    // S16
    test(`${agent.name} goes on when Sightline is killed while it is asked`, async ({ gateway }) => {
      const run = await Run.start(how, gateway, 300);
      try {
        await run.calls("touch after-the-end");
        await run.asked();
        process.kill(gateway.runtime.pid, "SIGKILL");
        await run.terminal.shows(how.prompt, 20);
        run.terminal.type(how.allows);
        await run.model.asked();
        expect(run.has("after-the-end")).toBe(true);
      } finally {
        await run.end();
      }
    });
  });
}

test.describe("a question", () => {
  test.skip(!AGENTS.includes(claude), "SIGHTLINE_AGENTS leaves it out");

  // S16
  test("a question of claude is answered here by one of its answers", async ({ gateway }) => {
    const run = await Run.start(CLAUDE, gateway, 60);
    try {
      const options = ["The staging one", "The other one"].map((label) => ({
        label,
        description: "A database",
      }));
      const question = { question: "Which database?", header: "Database", options, multiSelect: false };
      await run.model.answer(call("AskUserQuestion", { questions: [question] }));
      const permission = await run.asked();
      expect(permission.tool).toBe("AskUserQuestion");
      await run.terminal.shows("Which database?");
      const { sessionId, permissionId } = permission;
      const answers = [["The other one"]];
      await run.user.ask("permission.answer", { sessionId, permissionId, allow: true, answers });
      const told = results(await run.model.asked()).at(-1);
      expect(told).toContain("Which database?");
      expect(told).toContain("The other one");
      expect(told).not.toContain("The staging one");
    } finally {
      await run.end();
    }
  });
});

/** The tools of agents that ask at every call, by which `other` is made. */
const AT_EVERY_CALL: Record<string, string> = {
  copilot: "bash",
  gemini: "list_directory",
  cline: "run_commands",
  kimi: "Bash",
  vibe: "file_system.bash",
};

for (const agent of AGENTS.filter(({ name }) => name in AT_EVERY_CALL)) {
  // S16
  test(`a rule refuses a call of ${agent.name}, and nobody is asked`, async ({ gateway }) => {
    const model = await Model.start();
    const { folder } = gateway;
    await connected(agent, gateway, model, "stdio", "--answers");
    const user = await Socket.open(gateway.runtime);
    const run = start(agent, folder, model, PROMPT);
    try {
      await model.answer(agent.other);
      const free = results(await model.asked()).at(-1);
      expect(free).not.toMatch(/denied/i);
      await user.ask("rule.new", { allow: false, tool: AT_EVERY_CALL[agent.name], calls: { kind: "tool" } });
      await model.answer(agent.other);
      const endsTurn = agent.name === "cline";
      if (endsTurn) await run.end(90);
      else expect(results(await model.asked()).at(-1)).toMatch(/denied/i);
      expect((await user.ask("permission.list"))["permissions"]).toEqual([]);
      const rules = (await user.ask("rule.list"))["rules"] as { decided: number }[];
      expect(rules.map(({ decided }) => decided)).toEqual([1]);
      if (endsTurn) return;
      await model.answer(LAST_WORD);
      model.answerAll();
      expect(await run.end(90)).toBe(0);
    } finally {
      user.close();
      await model.stop();
      await agent.after?.(folder);
    }
  });
}
