// A terminal of its own for an agent's program: a tmux server that nobody else uses.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import type { Model } from "../agents/scripted.ts";
import type { DataFolder } from "../parts/gateway.ts";
import { until } from "../parts/process.ts";
import { project, type Started } from "./started.ts";

export class Terminal {
  readonly #socket: string;
  readonly #environment: Record<string, string>;

  constructor(agent: Started, folder: DataFolder, model: Model, args: string[]) {
    this.#socket = join(folder.root, "tmux");
    this.#environment = folder.environment(agent.environment(model));
    const path = project(folder);
    const size = ["-x", "160", "-y", "48"];
    this.#tmux("-f", "/dev/null", "new-session", "-d", ...size, "-c", path, "--", ...agent.program, ...args);
    this.#tmux("set-option", "-g", "remain-on-exit", "on");
  }

  /** The text that it shows. */
  get screen(): string {
    return this.#tmux("capture-pane", "-p");
  }

  /** Waits until it shows this. */
  async shows(text: string | RegExp, seconds = 60): Promise<void> {
    const isThere = (): boolean =>
      typeof text === "string" ? this.screen.includes(text) : text.test(this.screen);
    try {
      await until(`the terminal shows ${String(text)}`, isThere, seconds);
    } catch (error) {
      throw new Error(`${String(error)}\n${this.screen}`);
    }
  }

  type(text: string): void {
    this.#tmux("send-keys", "-l", text);
  }

  /** Presses a key: `Enter`, `Escape`. */
  press(key: string): void {
    this.#tmux("send-keys", key);
  }

  end(): void {
    this.#tmux("kill-server");
  }

  #tmux(...args: string[]): string {
    return execFileSync("tmux", ["-S", this.#socket, ...args], {
      encoding: "utf8",
      env: this.#environment,
    });
  }
}
