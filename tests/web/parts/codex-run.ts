import type { Runtime } from "./gateway.ts";

interface Step {
  step: string;
  status: "pending" | "in_progress" | "completed";
}

/** A run of Codex of which only its hooks tell. */
export class Run {
  readonly #runtime: Runtime;
  readonly id: string;
  readonly folder: string;

  /** It works in a folder, which is a real one where a path is given. */
  constructor(runtime: Runtime, number: number, project: string) {
    this.#runtime = runtime;
    this.id = `0199aa11-2b3c-7d4e-8f50-${String(number).padStart(12, "0")}`;
    this.folder = project.startsWith("/") ? project : `/home/me/${project}`;
  }

  async #hook(event: string, more: Record<string, unknown> = {}): Promise<void> {
    const response = await fetch(`http://127.0.0.1:${this.#runtime.port}/hooks/codex`, {
      method: "POST",
      headers: { Authorization: `Bearer ${this.#runtime.agentToken}` },
      body: JSON.stringify({ session_id: this.id, cwd: this.folder, hook_event_name: event, ...more }),
    });
    if (response.status !== 200) throw new Error(`${event}: ${response.status} ${await response.text()}`);
  }

  async begin(prompt = "Prepare the release"): Promise<this> {
    await this.#hook("UserPromptSubmit", { prompt });
    return this;
  }
  async wait(): Promise<void> {
    await this.#hook("PermissionRequest", { tool_name: "Bash" });
  }
  async goOn(): Promise<void> {
    await this.#hook("PostToolUse", { tool_name: "Bash" });
  }
  async rest(): Promise<void> {
    await this.#hook("Stop");
  }
  /** Writes its own list. */
  async plan(plan: Step[]): Promise<void> {
    const wrote = { tool_name: "update_plan", tool_input: { plan }, tool_response: "Plan updated" };
    await this.#hook("PostToolUse", wrote);
  }
}
