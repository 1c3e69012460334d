// The window stands still: while ten sessions are written to once a second, nothing moves that does not change its
// group. Looked at in each frame of the real window, with the pointer at rest over a button of *Needs you*.
import type { Todo } from "../parts/agent.ts";
import { AGENTS, BusySession, list } from "../parts/busy.ts";
import { type Moves, movesSoFar, watchMoves } from "../parts/places.ts";
import { until } from "../parts/process.ts";
import type { AppWindow } from "./app.ts";
import { expectAt } from "./focus.ts";
import { expect, test } from "./test.ts";

/** Rounds of a second each, on each of three pages; the long form has 60. */
const ROUNDS = Number(process.env.STILL_ROUNDS ?? 4);
/** Has a step that is blocked all the time, longer than any other: its button is the pointer's. */
const FIRST = 0;
/** Has a list that is complete for a moment. */
const COMPLETES = 3;
/** Its turns end, and begin anew. */
const RESTS = 9;
/** It waits for the user, and goes on. */
const WAITS = 6;

test.beforeEach(() => test.setTimeout(150_000 + ROUNDS * 9_000));

function blocked(agent: number): Todo {
  return { content: `Ask about ${agent}`, status: "blocked" };
}

/** The sessions, and the page that shows them. */
class Board {
  #round = 0;

  constructor(
    readonly app: AppWindow,
    readonly sessions: BusySession[],
  ) {}

  /** Each writes its list, as it is in the next round; those that `isAway` says have nothing that is blocked. */
  async write(isAway: (agent: number) => boolean = (agent) => agent !== FIRST): Promise<string[]> {
    this.#round += 1;
    return Promise.all(
      this.sessions.map((session, agent) => {
        const todos = list(agent, this.#round);
        return session.write(isAway(agent) ? todos : [blocked(agent), ...todos]);
      }),
    );
  }

  /** The list of one of them, with nothing left to do. */
  async complete(agent: number): Promise<void> {
    const done = list(agent, this.#round).map((step) => ({ ...step, status: "completed" }));
    await this.sessions[agent]!.write(done);
  }

  async shows(selectors: string[]): Promise<void> {
    await until("the page shows what was written", () =>
      this.app.browser.execute(
        (wanted) => wanted.every((selector) => document.querySelector(`main ${selector}`) !== null),
        selectors,
      ),
    );
  }

  async has(count: number, selector: string): Promise<void> {
    await until(`the page has ${count} of ${selector}`, () =>
      this.app.browser.execute(
        (wanted, found) => document.querySelectorAll(found).length === wanted,
        count,
        selector,
      ),
    );
  }

  /** Puts the pointer over a button, and lets `round` happen once a second; gives what has moved meanwhile. */
  async watch(button: string, round: (at: number) => Promise<void>): Promise<Moves> {
    const { browser } = this.app;
    const over = browser.$(button);
    await over.waitForClickable();
    await over.moveTo();
    const { x, y, width, height } = await browser.execute(
      (found) => document.querySelector(found)!.getBoundingClientRect().toJSON() as DOMRect,
      button,
    );
    await browser.execute(watchMoves, { x: x + width / 2, y: y + height / 2 });
    for (let at = 1; at <= ROUNDS; at += 1) {
      const second = browser.pause(1_000);
      await round(at);
      await second;
      // Whatever the last write of the second moved is looked at, too.
      const { frames } = await browser.execute(movesSoFar);
      await until(
        "a frame was looked at",
        async () => (await browser.execute(movesSoFar)).frames > frames + 1,
      );
    }
    return browser.execute(movesSoFar);
  }
}

/** Nothing has moved, and the pointer is over the same button all the time. */
function expectStill(moves: Moves, page: string): void {
  const { things, frames, moved, regroupings } = moves;
  console.log(
    `${page}: ${moved.length} of ${things} moved in ${frames} frames, ${regroupings} changes of a group`,
  );
  // Their cards or entries, their rows in the rail, and the button.
  expect.soft(things, `${page}: what was looked at`).toBeGreaterThanOrEqual(18);
  expect.soft(moved, `${page}: what moved`).toEqual([]);
  expect
    .soft(moves.under, `${page}: the button under the pointer`)
    .toEqual([expect.stringContaining("agent-0")]);
}

test("nothing moves in the window without a change of its group while ten sessions are written to", async ({
  open,
  folder,
}) => {
  const app = await open();
  const runtime = await folder.gateway();
  const sessions: BusySession[] = [];
  // One after the other: that is their order.
  for (let agent = 0; agent < AGENTS; agent += 1) {
    const session = await BusySession.open(runtime, agent);
    await session.write([blocked(agent)]);
    sessions.push(session);
  }
  const board = new Board(app, sessions);
  const [rests, waits] = [sessions[RESTS]!, sessions[WAITS]!];
  await board.shows(await board.write());

  // As it is at first: three groups by project, in which one stays whatever its state is.
  const band = 'section[aria-labelledby="needs-you"] button';
  await board.has(3, "main section > ul");
  const byProject = await board.watch(band, async (at) => {
    const written = await board.write();
    await board.complete(COMPLETES);
    await board.shows(written.filter((_, agent) => agent !== COMPLETES));
    if (at % 2 === 0) return;
    await rests.report("rests");
    await waits.report("waits");
    await board.has(1, "main .needs[data-session]");
    await board.has(1, "main .idle[data-session]");
  });
  expectStill(byProject, "Now, by project");
  expect.soft(byProject.regroupings).toBe(0);

  // By state a session is in another group while its turn is over, and others make room for it: then alone.
  await board.shows(await board.write());
  await app.named("Group").click();
  await app.browser.$("aria/Group by state").click();
  await board.has(1, "main section > ul");
  const byState = await board.watch(band, async (at) => {
    const written = await board.write();
    await board.shows(written);
    await board.has(1, "main section > ul");
    if (at % 2 === 0) return;
    await rests.report("rests");
    await board.has(2, "main section > ul");
  });
  expectStill(byState, "Now, by state");
  expect.soft(byState.regroupings, "each time that it comes or goes").toBe(ROUNDS);

  // Each round another session is blocked; those that are over stand where they were.
  const isAway =
    (round: number) =>
    (agent: number): boolean =>
      agent !== FIRST && (agent + round) % 3 === 0;
  await board.write(isAway(0));
  await app.browser.execute(() => (location.hash = "#/needs"));
  await expectAt(app, "#/needs");
  await board.has(7, "[data-need]");
  const needs = await board.watch('[data-need] button[aria-label^="Unblock: agent-0"]', async (at) => {
    await board.write(isAway(at));
    const open = sessions.filter((_, agent) => !isAway(at)(agent)).length;
    await board.has(open, "[data-need]:not([data-settled])");
  });
  expectStill(needs, "Needs you");
  expect.soft(needs.shoved, "what is new comes last").toEqual([]);
  for (const session of sessions) session.close();
});
