// On each page of the real window Tab visits everything that takes the focus, once, in the order in which it is seen.
import { Agent } from "../parts/agent.ts";
import { until } from "../parts/process.ts";
import { follows, look, prepare, type Stop } from "../parts/stops.ts";
import { STORY } from "../parts/story.ts";
import type { AppWindow } from "./app.ts";
import { expectAt, expectFocusOn, focused } from "./focus.ts";
import { expect, test as base } from "./test.ts";

/** A window with the lists of three agents, each with a step that needs the user. */
const test = base.extend<{ app: AppWindow }>({
  app: async ({ open, folder }, use) => {
    const app = await open();
    const runtime = await folder.gateway();
    const agents: Agent[] = [];
    for (const name of ["one", "two", "three"]) {
      const agent = await Agent.connect(runtime, name);
      await agent.write([...STORY.slice(0, 2), { content: `Ask for ${name}`, status: "blocked" }]);
      agents.push(agent);
      await app.card(name).waitForExist();
    }
    await use(app);
    for (const agent of agents) await agent.close();
  },
});

async function expectOrder(app: AppWindow, page: string): Promise<void> {
  const count = await app.browser.execute(prepare);
  const visited: number[] = [];
  let before: Stop | undefined;
  let last = -1;
  // From the heading on, round, and back to where it began.
  for (let press = 0; press <= count; press++) {
    await app.press("Tab");
    const stop = (await app.browser.execute(look, last)) as Stop;
    const name = (await focused(app))?.name ?? "nothing";
    expect(stop.at, `${page}: nobody knows ${name}, after ${visited.length} stops`).toBeGreaterThanOrEqual(0);
    if (before && stop.at > last) {
      expect.soft(follows(before, stop), `${page}: ${name} is seen after what comes before it`).toBe(true);
    }
    if (stop.at !== last) visited.push(stop.at);
    [before, last] = [stop, stop.at];
    if (visited.length > 1 && stop.at === visited[0]) break;
  }
  const [begun] = visited as [number];
  const round = Array.from({ length: count + 1 }, (_, at) => (begun + at) % count);
  expect.soft(visited, `${page}: each is visited once, in order`).toEqual(round);
}

test.describe("Tab visits everything in the order in which it is seen,", () => {
  test("on the first run", async ({ open }) => {
    const app = await open();
    // Answers bring stops of their own: the gateway's address, and the agents found.
    await app.expectText("Another agent");
    await until("it has looked for agents", async () => !(await app.text()).includes("Looking which agents"));
    await expectOrder(app, "First run");
  });

  for (const { page, chord, address, last } of [
    { page: "Needs you", chord: "g e", address: "#/needs", last: "Ask for three" },
    { page: "Agents", chord: "g a", address: "#/agents", last: "Claude Code" },
    { page: "Settings", chord: "g s", address: "#/settings", last: "3 lists" },
    { page: "Now", chord: "g n", address: "#/", last: "Ask for one" },
  ]) {
    test(`on ${page}`, async ({ app }) => {
      await app.press(chord);
      await expectAt(app, address);
      await expectFocusOn(app, page, "heading");
      await app.expectText(last);
      await expectOrder(app, page);
    });
  }

  test("in a session", async ({ app }) => {
    await app.press("]");
    await app.named("Tell the agent").waitForExist();
    await expectOrder(app, "A session");
  });

  test("in a session, with a row's details open, and its text", async ({ app }) => {
    await app.press("]");
    await app.named("Tell the agent").waitForExist();
    await app.press("ArrowDown", "i");
    await app.named("Details of step 2").waitForExist();
    await expectOrder(app, "A session with a row's details");
  });
});
