import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";

/** Characters of its output that are kept. */
const OUTPUT = 1_000_000;

/** A child process whose output is kept, to be looked at when a test fails. */
export class Child {
  readonly process: ChildProcess;
  output = "";
  /** The way in which it is asked to end. */
  endsBy: NodeJS.Signals = "SIGTERM";
  readonly #ended: Promise<unknown>;

  constructor(
    readonly name: string,
    command: string,
    args: string[],
    options: SpawnOptions,
  ) {
    this.process = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"], ...options });
    const keep = (data: Buffer): void => {
      if (this.output.length < OUTPUT) this.output += data.toString();
    };
    this.process.stdout?.on("data", keep);
    this.process.stderr?.on("data", keep);
    this.process.on("error", (error) => keep(Buffer.from(error.message)));
    this.#ended = once(this.process, "close");
  }

  get hasEnded(): boolean {
    const { pid, exitCode, signalCode } = this.process;
    return pid === undefined || exitCode !== null || signalCode !== null;
  }

  /** Waits for its end; the exit code, or the signal that ended it. */
  async end(seconds = 30): Promise<number | string> {
    await within(seconds, `${this.name} ends`, this.#ended);
    return this.process.exitCode ?? this.process.signalCode ?? "unknown";
  }

  /** Asks it to end, and insists after a while. */
  async stop(signal = this.endsBy): Promise<number | string> {
    if (!this.hasEnded) this.process.kill(signal);
    try {
      return await this.end();
    } catch (error) {
      this.process.kill("SIGKILL");
      throw error;
    }
  }
}

/** Fails when a promise takes longer. */
export async function within<T>(seconds: number, what: string, promise: Promise<T>): Promise<T> {
  const limit = new AbortController();
  const late = pause(seconds * 1000, undefined, { signal: limit.signal }).then(() => {
    throw new Error(`not within ${seconds} seconds: ${what}`);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    limit.abort();
    late.catch(() => undefined);
  }
}

/** Asks `met` until it gives something. */
export async function until<T>(
  what: string,
  met: () => Promise<T | undefined | false> | T | undefined | false,
  seconds = 30,
): Promise<T> {
  const end = Date.now() + seconds * 1000;
  for (;;) {
    const found = await met();
    if (found) return found;
    if (Date.now() > end) throw new Error(`not within ${seconds} seconds: ${what}`);
    await pause(25);
  }
}
