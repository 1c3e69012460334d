// On each page of the real window Tab visits everything that takes the focus, once, in the order in which it is seen.
import { Agent } from "../parts/agent.ts";
import { until } from "../parts/process.ts";
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

/** Place of something on the page, as it is scrolled now. */
interface Stop {
  /** Its place among all that can have the focus, in the order of the document; -1 for nothing. */
  at: number;
  region: string;
  /** It lies within the stop before it, or around it. */
  within: boolean;
  left: number;
  top: number;
  bottom: number;
}

/** Everything that Tab should visit. */
function prepare(): number {
  const all = document.querySelectorAll<HTMLElement>(
    "a[href], button, input, select, textarea, summary, [tabindex]",
  );
  const seen = [...all].filter(
    (each) => each.tabIndex >= 0 && !each.matches(":disabled") && each.checkVisibility(),
  );
  (window as unknown as { stops: Element[] }).stops = seen;
  return seen.length;
}

/** The stop that has the focus. */
function look(before: number): Stop {
  const { stops } = window as unknown as { stops: Element[] };
  const element = document.activeElement!;
  const { left, top, bottom } = element.getBoundingClientRect();
  const last = stops[before];
  return {
    at: stops.indexOf(element),
    region: element.closest("nav, aside, main, section.toast")?.tagName ?? "",
    within: last !== undefined && (last.contains(element) || element.contains(last)),
    left,
    top: top + scrolled(),
    bottom: bottom + scrolled(),
  };

  function scrolled(): number {
    return element.closest("main .page")?.scrollTop ?? 0;
  }
}

/** Beside it on its line, or further down; another part of the window, or of the same thing, comes when it comes. */
function follows(before: Stop, stop: Stop): boolean {
  if (before.region !== stop.region || stop.within) return true;
  const isBelow = stop.top >= before.bottom - 1;
  const isBeside = stop.left > before.left && stop.bottom > before.top;
  return isBelow || isBeside;
}

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
