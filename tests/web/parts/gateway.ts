import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { asked, pair } from "./keys.ts";
import { Child, until } from "./process.ts";
import { Socket } from "./socket.ts";

const BUILT = resolve(import.meta.dirname, "../../../target/debug");

export const SIGHTLINE = process.env.SIGHTLINE_BIN ?? join(BUILT, "sightline");
export const DESKTOP = process.env.SIGHTLINE_DESKTOP_BIN ?? join(BUILT, "sightline-desktop");

/** A gateway that runs, with keys for a test. */
export interface Runtime {
  pid: number;
  port: number;
  /** A person's: it administers where `serve` was started by the test. */
  token: string;
  agentToken: string;
}

/** A data folder with a home of its own beside it, and the processes that have used it. */
export class DataFolder {
  readonly root = mkdtempSync(join(tmpdir(), "sightline-"));
  readonly path = join(this.root, "data");
  readonly home = join(this.root, "home");
  readonly children: Child[] = [];
  /** Keys for tests, by what they are for. */
  readonly keys: { person?: string; agent?: string; strong?: string } = {};

  constructor() {
    mkdirSync(this.home);
  }

  get #file(): string {
    return join(this.path, "runtime.json");
  }

  /** The text of a gateway's file; nothing when there is none, or none any more. */
  #written(): string | undefined {
    try {
      return readFileSync(this.#file, "utf8");
    } catch {
      return undefined;
    }
  }

  /** The answer of the gateway that runs on it; nothing when none does. */
  get runtime(): Runtime | undefined {
    const text = this.#written();
    if (text === undefined) return undefined;
    const { pid, port } = JSON.parse(text) as Runtime;
    const key = (kind: "person" | "agent", ...options: string[]): string =>
      (this.keys[kind] ??= this.ask("key", "new", `test ${kind}`, ...options)["secret"] ?? "");
    return {
      pid,
      port,
      get token() {
        return key("person", "--rights", "edit");
      },
      get agentToken() {
        return key("agent", "--agent");
      },
    };
  }

  /** Pairs by what `serve` printed, as the first page; later ones are then given their rights. */
  async trust(page: string): Promise<void> {
    this.keys.person ??= await pair(page);
    if (this.keys.strong !== undefined) return;
    const socket = await Socket.open(await this.gateway());
    this.keys.strong = String((await socket.ask("key.new", { name: "pages", rights: "administer" })).secret);
    socket.close();
  }

  /** An address that pairs one browser, once, with those rights, as far as the key has them. */
  code(rights: string, key = this.keys.strong): string {
    const env = this.environment(key === undefined ? {} : { SIGHTLINE_KEY: key });
    return asked(SIGHTLINE, ["open", "--rights", rights, "--data-dir", this.path], env)["page"] ?? "";
  }

  /** The answer of a command about this folder. */
  ask(...args: string[]): Record<string, string> {
    return asked(SIGHTLINE, [...args, "--data-dir", this.path], this.environment());
  }

  /** Waits until a gateway, whoever started it, answers on this folder. */
  async gateway(): Promise<Runtime> {
    return until("a gateway answers", async () => {
      const runtime = this.runtime;
      if (!runtime) return undefined;
      const health = await fetch(`http://127.0.0.1:${runtime.port}/health`).catch(() => undefined);
      return health?.ok ? runtime : undefined;
    });
  }

  /** As little as an agent passes on, and nobody's real home. */
  environment(more: Record<string, string> = {}): Record<string, string> {
    const kept = Object.entries(process.env).filter(
      ([name]) => name === "PATH" || name === "LLVM_PROFILE_FILE",
    );
    return {
      ...(Object.fromEntries(kept) as Record<string, string>),
      HOME: this.home,
      LANG: "C.UTF-8",
      ...more,
    };
  }

  spawn(
    name: string,
    command: string,
    args: string[],
    more: Record<string, string> = {},
    cwd = this.home,
  ): Child {
    const child = new Child(name, command, args, { cwd, env: this.environment(more) });
    this.children.push(child);
    return child;
  }

  /** The output of every process on it. */
  get log(): string {
    return this.children.map((child) => `--- ${child.name}\n${child.output}`).join("\n");
  }

  /** Ends what still runs and removes the folder. */
  async remove(): Promise<void> {
    for (const child of this.children.toReversed()) if (!child.hasEnded) await child.stop();
    // An agent's last hook may start another gateway, and the web view may still write its last files.
    await until("its folder is removed", async () => {
      const left = this.runtime;
      if (left && isOn(left.pid, this.path)) {
        process.kill(left.pid, "SIGTERM");
        await until("the last gateway ends", () => !this.runtime);
      }
      try {
        rmSync(this.root, { recursive: true, force: true, maxRetries: 3 });
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ENOTEMPTY") throw error;
      }
      return !existsSync(this.root);
    });
  }
}

/** True if a process was told to use this folder, by its command line or its environment. */
function isOn(pid: number, folder: string): boolean {
  return ["cmdline", "environ"].some((part) => {
    try {
      return readFileSync(`/proc/${pid}/${part}`, "utf8").includes(folder);
    } catch {
      // It has ended.
      return false;
    }
  });
}

/** `sightline serve` on a data folder. */
export class Gateway {
  #child: Child | undefined;

  constructor(readonly folder: DataFolder) {}

  async start(port = 0): Promise<this> {
    const args = ["serve", "--json", "--port", String(port), "--data-dir", this.folder.path];
    const child = this.folder.spawn("sightline serve", SIGHTLINE, args);
    this.#child = child;
    await until("serve says where it listens", () => {
      if (child.hasEnded) throw new Error(`serve has ended: ${child.output}`);
      return child.output.includes('"listening":"http://127.0.0.1:');
    });
    await this.folder.gateway();
    await this.folder.trust(/"page":"([^"]+)"/.exec(child.output)?.[1] ?? "");
    return this;
  }

  async stop(): Promise<void> {
    const code = await this.#child?.stop();
    if (code !== 0) throw new Error(`serve ended with ${code}: ${this.#child?.output}`);
    this.#child = undefined;
  }

  get runtime(): Runtime {
    const runtime = this.folder.runtime;
    if (!runtime) throw new Error("no gateway runs");
    return runtime;
  }

  get address(): string {
    return `http://127.0.0.1:${this.runtime.port}`;
  }

  /** An address that pairs one browser, once. */
  get page(): string {
    return this.code("administer");
  }

  /** An address that pairs one browser, once, with those rights. */
  code(rights: string, key?: string): string {
    return this.folder.code(rights, key);
  }
}
