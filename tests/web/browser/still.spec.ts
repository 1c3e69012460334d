// The board stands still: while ten agents write, no card moves unless it changes its group.
import type { Locator, Page } from "@playwright/test";
import { Agent, type Todo, type Written } from "../parts/agent.ts";
import { Asking } from "../parts/asking.ts";
import { AGENTS, list } from "../parts/busy.ts";
import { Run } from "../parts/codex-run.ts";
import { type Moves, movesSoFar, placesOf, watchMoves, watchShifts } from "../parts/places.ts";
import { expect, test } from "./test.ts";

/** Rounds of a second each; the long form has 60. */
const ROUNDS = Number(process.env.STILL_ROUNDS ?? 8);

/** As many as may fade at the same time. */
const TINTS_AT_ONCE = 3;

/** Looks from now on at what moves, while the pointer rests over this. */
async function watch(page: Page, over: Locator): Promise<void> {
  const { x, y, width, height } = (await over.boundingBox())!;
  await page.evaluate(watchMoves, { x: x + width / 2, y: y + height / 2 });
}

/** Counts from now on, in each frame, the tints that fade at the same time; gives the most of them. */
async function watchTints(page: Page): Promise<() => Promise<number>> {
  await page.evaluate(() => {
    const seen = { most: 0 };
    const isTint = ({ effect }: Animation): boolean =>
      effect instanceof KeyframeEffect &&
      effect.getKeyframes().some((frame) => String(frame["backgroundColor"]).includes("--tint"));
    const look = (): void => {
      const tints = document.getAnimations().filter(isTint).length;
      seen.most = Math.max(seen.most, tints);
      requestAnimationFrame(look);
    };
    Object.assign(globalThis, { tints: seen });
    look();
  });
  return () => page.evaluate(() => (globalThis as unknown as { tints: { most: number } }).tints.most);
}

/** Nothing has moved in any frame, and hardly anything has shifted. */
async function expectStill(
  page: Page,
  { shift, sources }: { shift: number; sources: string[] },
): Promise<Moves> {
  const moves = await page.evaluate(movesSoFar);
  const { things, frames, moved, shoved } = moves;
  console.log(`${moved.length} of ${things} moved in ${frames} frames; shift ${shift}`);
  expect(things, "their cards or entries, and their rows in the rail").toBeGreaterThan(AGENTS);
  expect([...moved, ...shoved]).toEqual([]);
  expect(shift, JSON.stringify(sources)).toBeLessThan(0.02);
  return moves;
}

test.beforeEach(() => test.setTimeout(90_000 + ROUNDS * 3_000));

test("no card moves while ten agents write once a second, also one whose list is complete for a moment", async ({
  sightline,
  gateway,
  page,
}) => {
  const agents = await Promise.all(
    Array.from({ length: AGENTS }, (_, index) => Agent.connect(gateway.runtime, `agent-${index}`)),
  );
  const write = (round: number): Promise<unknown> =>
    Promise.all(agents.map((agent, index) => agent.write(list(index, round))));
  await write(0);
  await page.setViewportSize({ width: 1_280, height: 800 });
  await sightline.open(gateway.page);
  const cards = page.getByRole("main").locator("[data-run]");
  await expect(cards).toHaveCount(AGENTS);
  await expect(page.getByLabel("Search sessions")).toBeVisible();
  await cards.nth(4).hover();
  const shifts = await watchShifts(page);
  const tints = await watchTints(page);
  await watch(page, cards.nth(4));
  for (let round = 1; round <= ROUNDS; round += 1) {
    const second = page.waitForTimeout(1_000);
    await write(round);
    // Complete, until the next round.
    await agents[3]?.write(list(3, round).map((step) => ({ ...step, status: "completed" })));
    await expect(page.getByRole("main")).toContainText(list(0, round)[round % 4]?.activeForm ?? "");
    await second;
  }
  await expectStill(page, await shifts());
  const most = await tints();
  expect(most, "a change is seen to happen").toBeGreaterThan(0);
  expect(most, "more would only flicker").toBeLessThanOrEqual(TINTS_AT_ONCE);
  await Promise.all(agents.map((agent) => agent.close()));
});

type Needing = { needs?: { id: string }[] };

/** So many calls without a word on its list are drift. */
const CALLS = 15;

for (const [runs, size] of [
  [2, "large"],
  [5, "card"],
  [9, "small"],
  [17, "line"],
] as const) {
  test(`no card changes its height when titles, lists, calls and drift come late: ${size}`, async ({
    sightline,
    gateway,
    page,
  }) => {
    const of = (run: number): Run => new Run(gateway.runtime, run, `project-${run}`);
    const all = Array.from({ length: runs }, (_, index) => of(index + 1));
    for (const run of all) await run.goOn();
    await page.setViewportSize({ width: 1_280, height: 800 });
    await sightline.open(gateway.page);
    const cards = page.getByRole("main").locator("[data-run]");
    await expect(cards).toHaveCount(runs);
    // The filters, which come with the fourth session, are fetched last.
    await expect(page.getByLabel("Search sessions")).toHaveCount(runs < 4 ? 0 : 1);
    const [late, first] = [all.at(-1)!, cards.filter({ hasText: `project-${runs}` })];
    await expect(first.locator(size === "line" ? ".line" : `article.${size}`)).toBeVisible();
    const shifts = await watchShifts(page);
    const before = await placesOf(cards);
    const stays = async (words: string): Promise<void> => {
      await expect(first).toContainText(words);
      expect(await placesOf(cards), words).toEqual(before);
    };
    await late.begin("Prepare the release of the parser, with all that belongs to it");
    await stays("Prepare the release");
    await late.plan(
      Array.from({ length: 12 }, (_, step) => ({
        step: `Step ${step}`,
        status: step === 0 ? "in_progress" : "pending",
      })),
    );
    await stays(size === "line" ? "Step 0" : "Step 1");
    await stays("built-in list (update_plan)");
    for (let call = 0; call < CALLS; call += 1) await late.goOn();
    await stays("calls since the list changed");
    const drift = "15 calls since the list changed";
    // A line of this width has the sign, whose words are in its title.
    await expect(size === "line" ? first.getByTitle(drift) : first.getByText(drift)).toBeInViewport();
    const seen = await shifts();
    expect(seen.shift, JSON.stringify(seen.sources)).toBeLessThan(0.02);
  });
}

for (const width of [1_280, 560]) {
  test(`no need that comes or goes moves a card: ${width} wide`, async ({
    sightline,
    gateway,
    page,
    socket,
  }) => {
    const agents = await Promise.all(
      Array.from({ length: 4 }, (_, index) => Agent.connect(gateway.runtime, `agent-${index}`)),
    );
    const ask = (status: string, more: Partial<Todo> = {}): Todo => ({ content: "Ask", status, ...more });
    const write = (first: Todo): Promise<Written[]> =>
      Promise.all(
        agents.map((agent, at) => agent.write([at === 0 ? first : ask("completed"), ...list(at, 0)])),
      );
    const [written] = await write(ask("completed"));
    await page.setViewportSize({ width, height: 800 });
    await sightline.open(gateway.page);
    const cards = page.getByRole("main").locator("[data-run]");
    await expect(cards).toHaveCount(4);
    await expect(page.getByLabel("Search sessions")).toBeVisible();
    const band = page.getByRole("region", { name: "Needs you" });
    const shifts = await watchShifts(page);
    const before = await placesOf(cards);
    const isStill = async (words: string): Promise<void> => {
      await expect(band).toContainText(words);
      expect(await placesOf(cards), words).toEqual(before);
    };
    await isStill("All clear");
    await write(
      ask("blocked", { reason: "The key of the staging server is missing, and nobody has said who has it" }),
    );
    await isStill("Blocked: Ask");
    await expect(band).toContainText("The key of the staging server");
    await write(ask("completed"));
    await isStill("All clear");

    // The agent hears of the edit, and goes against it.
    const { sessionId = "", todos = [] } = written ?? {};
    await socket.ask("todo.setStatus", { sessionId, uid: todos[1]?.uid, status: "completed" });
    const [begun, ...rest] = list(0, 0);
    await agents[0]?.write([ask("completed"), begun!, ...rest]);
    await agents[0]?.write([ask("completed"), { ...begun!, status: "pending" }, ...rest]);
    await isStill("You marked “Read 0” as completed");
    const { needs } = await socket
      .ask("session.get", { sessionId })
      .then(({ session }) => session as Needing);
    await socket.ask("need.dismiss", { sessionId, needId: needs?.[0]?.id });
    await isStill("All clear");

    const seen = await shifts();
    expect(seen.shift, JSON.stringify(seen.sources)).toBeLessThan(0.02);
    await Promise.all(agents.map((agent) => agent.close()));
  });
}

test("a permission moves no card until the user opens it", async ({ sightline, gateway, page, socket }) => {
  const agents = await Promise.all(
    Array.from({ length: 3 }, (_, index) => Agent.connect(gateway.runtime, `agent-${index}`)),
  );
  await Promise.all(agents.map((agent, index) => agent.write(list(index, 0))));
  // The youngest: it stands first also while it waits.
  const asking = await Asking.begin(gateway.runtime);
  await page.setViewportSize({ width: 1_280, height: 800 });
  await sightline.open(gateway.page);
  const cards = page.getByRole("main").locator("[data-run]");
  await expect(cards).toHaveCount(4);
  await expect(page.getByLabel("Search sessions")).toBeVisible();
  const band = page.getByRole("region", { name: "Needs you" });
  await expect(band).toHaveText("All clear");
  const before = await placesOf(cards);
  const shifts = await watchShifts(page);
  const command = "cargo test -p hub";
  const asked = asking.ask("Bash", { command });
  await expect(band).toContainText(command);
  expect(await placesOf(cards)).toEqual(before);
  const { permissions } = await socket.ask("permission.list");
  const [{ sessionId, permissionId }] = permissions as [{ sessionId: string; permissionId: string }];
  await socket.ask("permission.answer", { sessionId, permissionId, allow: false });
  await asked;
  await expect(band).toHaveText("All clear");
  expect(await placesOf(cards)).toEqual(before);
  const seen = await shifts();
  expect(seen.shift, JSON.stringify(seen.sources)).toBeLessThan(0.02);

  const again = asking.ask("Bash", { command });
  await band.getByRole("button", { name: /^Answer: claude · / }).click();
  const card = band.getByRole("group", { name: /^Permission: claude · / });
  await expect(card).toContainText("in /home/me/billing");
  await expect(card).toBeFocused();
  const opened = await placesOf(cards);
  expect(opened).not.toEqual(before);
  // It ends elsewhere: what is open stays.
  const more = await socket.ask("permission.list");
  const [open] = more.permissions as [{ permissionId: string }];
  await socket.ask("permission.answer", { sessionId, permissionId: open.permissionId, allow: false });
  await again;
  await expect(card).toContainText("Denied");
  expect(await placesOf(cards)).toEqual(opened);
  await page.keyboard.press("Escape");
  await expect(band).toHaveText("All clear");
  expect(await placesOf(cards)).toEqual(before);
  asking.socket.close();
  await Promise.all(agents.map((agent) => agent.close()));
});

test("the button of Needs you that the pointer is over stays there while ten agents write once a second", async ({
  sightline,
  gateway,
  page,
}) => {
  const agents = await Promise.all(
    Array.from({ length: AGENTS }, (_, index) => Agent.connect(gateway.runtime, `agent-${index}`)),
  );
  const isAway = (agent: number, round: number): boolean => (agent + round) % 3 === 0 && agent !== 5;
  /** Each has a step that is blocked, but for some, which are others in each round. */
  const blocked = (agent: number, round: number): Todo[] => [
    { content: `Ask about ${agent}`, status: isAway(agent, round) ? "completed" : "blocked" },
    ...list(agent, round),
  ];
  const write = (round: number): Promise<unknown> =>
    Promise.all(agents.map((agent, index) => agent.write(blocked(index, round))));
  await write(0);
  await page.setViewportSize({ width: 1_280, height: 800 });
  await sightline.open(gateway.page);
  await sightline.goTo("#/needs");
  const main = page.getByRole("main");
  await expect(main.locator("[data-need]")).toHaveCount(6);
  const button = main.getByRole("button", { name: /^Unblock: agent-5/ });
  await button.hover();
  const shifts = await watchShifts(page);
  await watch(page, button);
  for (let round = 1; round <= ROUNDS; round += 1) {
    const second = page.waitForTimeout(1_000);
    await write(round);
    const open = agents.filter((_, index) => !isAway(index, round)).length;
    await expect(main.locator("[data-need]:not([data-settled])")).toHaveCount(open);
    await second;
  }
  const moves = await expectStill(page, await shifts());
  expect(moves.under).toEqual([expect.stringMatching(/^Unblock: agent-5/)]);
  // The button that is pressed is the one that was aimed at.
  await page.mouse.down();
  await page.mouse.up();
  await expect(page.getByText("“Ask about 5” is no longer blocked.").first()).toBeVisible();
  await Promise.all(agents.map((agent) => agent.close()));
});

test("in a long list everything is in reach, and the timeline stays where it is", async ({
  sightline,
  gateway,
  agent,
  page,
}) => {
  const long = (done: number): Todo[] =>
    Array.from({ length: 256 }, (_, step) => ({
      content: `Step ${step + 1}`,
      status: step < done ? "completed" : "pending",
    }));
  const short = await Agent.connect(gateway.runtime, "short-agent");
  for (const done of [1, 2]) {
    await agent.write(long(done));
    await short.write(long(done).slice(0, 3));
  }
  await page.setViewportSize({ width: 1_180, height: 820 });
  await sightline.open(gateway.page);
  const slider = page.getByRole("slider");
  for (const name of ["playwright-agent", "short-agent"]) {
    await sightline.openSession(name);
    for (const part of [page.getByLabel("Add a step"), page.getByLabel("Tell the agent"), slider]) {
      await expect(part).toBeInViewport({ ratio: 1 });
    }
    const before = await slider.boundingBox();
    await slider.focus();
    await page.keyboard.press("ArrowLeft");
    await expect(page.getByRole("button", { name: "Back to now" })).toBeVisible();
    expect(await slider.boundingBox(), name).toEqual(before);
    await page.keyboard.press("Escape");
    await expect(page.getByLabel("Add a step")).toBeVisible();
    expect(await slider.boundingBox(), name).toEqual(before);
    await page.evaluate(() => (location.hash = "#/"));
  }
  await short.close();
});
