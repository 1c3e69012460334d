// On each page of the real window Tab visits everything that takes the focus, once, in the order in which it is seen.
import { Agent } from "../parts/agent.ts";
import { STORY } from "../parts/story.ts";
import type { AppWindow } from "./app.ts";
import { expectAt, expectFocusOn, focused } from "./focus.ts";
import { expect, test } from "./test.ts";

/** Where something is on the page, as it is scrolled now. */
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

/** Everything that Tab should visit: it is seen, and of radio buttons that belong together one is enough. */
function prepare(): number {
  const all = document.querySelectorAll<HTMLElement>(
    "a[href], button, input, select, textarea, summary, [tabindex]",
  );
  const seen = [...all].filter((each) => {
    const radio = each as HTMLInputElement;
    const isOther = radio.type === "radio" && !radio.checked;
    return each.tabIndex >= 0 && !each.matches(":disabled") && !isOther && each.checkVisibility();
  });
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

test("Tab visits everything in the order in which it is seen, on every page", async ({ open, folder }) => {
  const app = await open();
  const runtime = await folder.gateway();
  await app.expectText("Or watch a demo");
  await expectOrder(app, "First run");

  const agents: Agent[] = [];
  for (const name of ["one", "two", "three"]) {
    const agent = await Agent.connect(runtime, name);
    await agent.write([...STORY.slice(0, 2), { content: `Ask for ${name}`, status: "blocked" }]);
    agents.push(agent);
    await app.card(name).waitForExist();
  }
  for (const [page, chord, address] of [
    ["Needs you", "e", "#/needs"],
    ["Agents", "a", "#/agents"],
    ["Settings", "s", "#/settings"],
    ["Now", "n", "#/"],
  ] as const) {
    await app.press("g", chord);
    await expectAt(app, address);
    await expectFocusOn(app, page, "heading");
    if (page === "Agents") await app.expectText("Claude Code");
    if (page === "Settings") await app.expectText("Global shortcut");
    await expectOrder(app, page);
  }

  await app.press("]");
  await app.named("Tell the agent").waitForExist();
  await expectOrder(app, "A session");
  // With a row's details, and its text, open.
  await app.press("Control+k", "Escape", "g", "n", "]");
  await app.named("Tell the agent").waitForExist();
  await app.press("ArrowDown", "i");
  await app.named("Details of step 2").waitForExist();
  await expectOrder(app, "A session with a row's details");
  for (const agent of agents) await agent.close();
});
