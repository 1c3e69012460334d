// The app's end: told to, at any moment of its start, and killed in the middle of its work.
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { Agent, contents, type Todo } from "../parts/agent.ts";
import { DESKTOP, type DataFolder } from "../parts/gateway.ts";
import { type Child, until } from "../parts/process.ts";
import { Socket } from "../parts/socket.ts";
import { ofTheScreen } from "./app.ts";
import { expect, test } from "./test.ts";

const TELL_AFTER_MS = [0, 40, 120, 250, 400, 600, 800, 1000, 1400, 2000];
const KILL_AFTER_MS = [150, 600, 1500];
const DONE = 0;

/** The app as a person's desktop starts it. */
function start(folder: DataFolder): Child {
  const environment = { ...ofTheScreen(), SIGHTLINE_DATA_DIR: folder.path };
  return folder.spawn("sightline-desktop", DESKTOP, [], environment);
}

/** The processes that were started on a folder, those of the web view with them. */
function processesOn(folder: DataFolder): string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, "utf8").includes(folder.path);
    } catch {
      // It has ended.
      return false;
    }
  });
}

async function expectNothingLeft(folder: DataFolder): Promise<void> {
  await until("no process of it is left", () => processesOn(folder).length === 0);
}

test("it ends when it is told to, at whatever moment of its start", async ({ folder }) => {
  for (const after of TELL_AFTER_MS) {
    const app = start(folder);
    await pause(after);
    const ended = await app.stop("SIGTERM");
    // Before it listens for that, it is simply gone.
    expect([0, "SIGTERM"], `told after ${after} ms`).toContain(ended);
    await expectNothingLeft(folder);
  }
});

/** The acknowledged changes of one session, by its revisions. */
class Acknowledged {
  readonly lists = new Map<number, string[]>();
  sessionId = "";

  note(answer: { sessionId: unknown; revision: unknown; todos: unknown }): void {
    this.sessionId = String(answer.sessionId);
    this.lists.set(Number(answer.revision), contents(answer.todos as Todo[]));
  }
}

/** Does it again and again until nobody answers any more. */
async function again(deed: (turn: number) => Promise<void>): Promise<void> {
  for (let turn = 1; ; turn += 1) {
    try {
      await deed(turn);
    } catch {
      return;
    }
  }
}

test("killed in the middle of its work, it has lost nothing that was acknowledged", async ({ folder }) => {
  const known: Acknowledged[] = [];
  for (const [round, after] of KILL_AFTER_MS.entries()) {
    const app = start(folder);
    const runtime = await folder.gateway();
    const agent = await Agent.connect(runtime, `agent ${round}`);
    const socket = await Socket.open(runtime);
    const [written, edited] = [new Acknowledged(), new Acknowledged()];
    edited.note(
      (await socket.ask("todo.write", { session: `own ${round}`, todos: [{ content: "Begin" }] })) as never,
    );
    void again(async (turn) =>
      written.note(await agent.write([{ content: `Step ${turn}` }, { content: "Last" }])),
    );
    void again(async (turn) => {
      const add = { sessionId: edited.sessionId, content: `Edit ${turn}` };
      edited.note((await socket.ask("todo.add", add)) as never);
    });
    await until("it is at work", () => written.lists.size > 0);
    await pause(after);
    app.process.kill("SIGKILL");
    expect(await app.end()).toBe("SIGKILL");
    void agent.close().catch(() => undefined);
    socket.close();
    await expectNothingLeft(folder);
    known.push(written, edited);
    expect(written.lists.size, "it was at work").toBeGreaterThan(0);
  }

  const app = start(folder);
  const socket = await Socket.open(await folder.gateway());
  for (const { sessionId, lists } of known) {
    for (const [revision, list] of lists) {
      const then = await socket.ask("session.get", { sessionId, revision });
      expect(contents(then.todos as Todo[]), `revision ${revision} of ${sessionId}`).toEqual(list);
    }
    const newest = (await socket.ask("session.get", { sessionId })).revision as number;
    // A change that was under way may have been done without its answer.
    expect(newest - Math.max(...lists.keys())).toBeLessThanOrEqual(1);
  }
  socket.close();
  expect(await app.stop("SIGTERM")).toBe(DONE);
});
