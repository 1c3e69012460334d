import { Failure } from "../backend/backend";
import type {
  AgentSetup,
  AgentsApplied,
  AgentsPlan,
  AgentsPlanned,
  AgentsTested,
  DemoStarted,
  ImportProgress,
  TestStep,
} from "../protocol/types";
import type { Message } from "../backend/backend";
import { KNOWN_AGENTS } from "./known-agents";

export const DIFF = `--- /home/me/.codex/config.toml
+++ /home/me/.codex/config.toml
@@ -1,3 +1,6 @@
 model = "o9"
--- not a header, a line
+++ neither
+
+[mcp_servers.sightline]
+command = "/usr/bin/sightline"
 # end
--- /dev/null
+++ /home/me/.codex/hooks.json
@@ -0,0 +1 @@
+{ "hooks": [] }
\\ No newline at end of file
$ claude mcp add-json --scope user sightline '{"command":"/usr/bin/sightline"}'
`;

export function agent(name: string, more: Partial<AgentSetup> = {}): AgentSetup {
  return {
    agent: name,
    title: name.slice(0, 1).toUpperCase() + name.slice(1),
    program: `/usr/bin/${name}`,
    version: "1.2.3",
    proof: "seen",
    proven: "1.2.3",
    server: "absent",
    hooks: "absent",
    ownList: "off",
    instructions: "AGENTS.md",
    ...more,
  };
}

/** The agents on the desk's machine: what is planned is done to them, and every test takes its steps. */
export class DeskMachine {
  agents: AgentSetup[] = [];
  import: ImportProgress | undefined;
  /** The next plan. */
  planned: Omit<AgentsPlanned, "planId"> = { diff: DIFF, notes: [] };
  applied: AgentsApplied = {
    written: ["/home/me/.codex/config.toml"],
    backups: ["/home/me/.codex/config.toml.sightline-backup-20261120T140200Z"],
    notes: [],
  };
  /** The failures by which requests are refused. */
  readonly refusals: Partial<Record<string, Failure>> = {};
  /** Holds answers back until it is called. */
  held: (() => void)[] | undefined;
  steps: TestStep[] = [
    { ok: true, what: "started sightline mcp --agent codex" },
    { ok: true, what: "the test list arrived after 12 ms" },
  ];
  mend: string | undefined;
  demo: DemoStarted = { page: "http://127.0.0.1:4000/#pair=c.secret" };
  #plans: AgentsPlan[] = [];
  #isCancelled = false;

  async answer(type: string, fields: object, tell: (message: Message) => void): Promise<unknown> {
    if (type === "agents.test.cancel") {
      this.#isCancelled = true;
      for (const go of this.held?.splice(0) ?? []) go();
      return { ok: true };
    }
    if (this.held) {
      const { held } = this;
      await new Promise<void>((go) => held.push(go));
    }
    const refusal = this.refusals[type];
    if (refusal) throw refusal;
    switch (type) {
      case "agents.list":
        return {
          agents: this.agents,
          server: ["/usr/bin/sightline", "mcp"],
          known: KNOWN_AGENTS,
          ...(this.import && { import: this.import }),
        };
      case "agents.plan":
        return this.#plan(fields as AgentsPlan);
      case "agents.apply":
        return this.#apply((fields as { planId: string }).planId);
      case "demo.start":
        return this.demo;
      case "gateway.open":
        return { ok: true };
      case "agents.start":
        return { by: "terminal" };
      case "agents.test":
        return this.#test((fields as { agent: string }).agent, tell);
      case "import.start":
        this.import = progress();
        return this.import;
      default:
        this.import = progress({ done: true, cancelled: true, read: 3 });
        return this.import;
    }
  }

  #plan(asked: AgentsPlan): AgentsPlanned {
    this.#plans.push(asked);
    return { planId: `plan-${this.#plans.length}`, ...this.planned };
  }

  #apply(planId: string): AgentsApplied {
    const asked = this.#plans[Number(planId.split("-")[1]) - 1];
    if (!asked) throw new Failure("INVALID_MESSAGE", "There is no such plan.");
    const server = asked.change === "disconnect" ? "absent" : "ours";
    if (asked.change === "connect" || asked.change === "disconnect") {
      this.agents = this.agents.map((setup) =>
        setup.agent === asked.agent ? { ...setup, server, hooks: server } : setup,
      );
    }
    return this.applied;
  }

  async #test(name: string, tell: (message: Message) => void): Promise<AgentsTested> {
    if (this.#isCancelled) {
      this.#isCancelled = false;
      return { agent: name, ok: false, cancelled: true, steps: [{ ok: false, what: "it was cancelled" }] };
    }
    const { length: of } = this.steps;
    for (const [at, step] of this.steps.entries())
      tell({ type: "agents.step", agent: name, ...step, at: at + 1, of });
    const ok = this.steps.every((step) => step.ok);
    return { agent: name, ok, steps: this.steps, ...(this.mend !== undefined && { mend: this.mend }) };
  }
}

export function progress(more: Partial<ImportProgress> = {}): ImportProgress {
  return { read: 0, total: 12, runs: 0, lists: 0, unreadable: [], done: false, cancelled: false, ...more };
}
