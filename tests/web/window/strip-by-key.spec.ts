// The compact strip with the keyboard alone, and the window as high as what is in it.
import { Run } from "../parts/codex-run.ts";
import { Agent } from "../parts/agent.ts";
import { until } from "../parts/process.ts";
import { STORY } from "../parts/story.ts";
import type { AppWindow } from "./app.ts";
import { expectAt, expectFocusOn, tabTo } from "./focus.ts";
import { appWindow, expectWindow, type OnScreen } from "./screen.ts";
import { expect, test } from "./test.ts";

const WIDTH = 320;

/** Waits until so many lines are there, and the window is as high as they are, to the pixel. */
async function expectFitting(app: AppWindow, lines: number): Promise<OnScreen> {
  let seen: unknown;
  return until(
    `the strip fits ${lines} lines`,
    async () => {
      const page = await app.browser.execute(() => {
        const strip = document.querySelector("main.strip > .strip");
        if (!strip) return undefined;
        const parts = [...strip.children].map((part) => part.scrollHeight);
        const last = strip.lastElementChild!.getBoundingClientRect();
        const lines = document.querySelectorAll("main.strip li").length;
        return {
          lines,
          high: parts.reduce((sum, part) => sum + part, 0),
          bottom: last.bottom,
          inner: innerHeight,
        };
      });
      const window = await appWindow();
      seen = { page, window };
      if (!page) return undefined;
      const fits =
        window?.height === page.high && page.inner === page.high && Math.abs(page.bottom - page.high) < 1;
      return page.lines === lines && window?.width === WIDTH && fits && window;
    },
    20,
  ).catch((error: Error) => {
    throw new Error(`${error.message}; there is ${JSON.stringify(seen)}`);
  });
}

/** The address of the line that has the focus. */
function focused(app: AppWindow): Promise<string> {
  return app.browser.execute(() => document.activeElement?.getAttribute("href") ?? "");
}

/** The addresses of the lines. */
function order(app: AppWindow): Promise<string[]> {
  return app.browser.execute(() =>
    [...document.querySelectorAll<HTMLAnchorElement>("main li a")].map(({ href }) => href),
  );
}

/** The lines that say that they need the user, and those that do not. */
function states(app: AppWindow): Promise<string> {
  return app.browser.execute(() =>
    [...document.querySelectorAll("main li")].map(({ classList }) => classList.contains("needs")).join(),
  );
}

/** True if the page's title is in the window, all of it. */
function isTitleInView(app: AppWindow): Promise<boolean> {
  return app.browser.execute(() => {
    const title = document.querySelector("main:not(.strip) h1")?.getBoundingClientRect();
    return title !== undefined && title.height > 0 && title.top >= 0 && title.bottom <= innerHeight;
  });
}

test("the strip grows and shrinks with its lines, opens them, and leads back to where one was", async ({
  open,
  folder,
}) => {
  const app = await open();
  const runtime = await folder.gateway();
  const agent = await Agent.connect(runtime, "window-agent");
  await agent.write(STORY);
  await app.card("window-agent").waitForExist();
  const whole = await expectWindow("is whole", ({ shown, width }) => shown && width > 700);
  await app.press("g s");
  await expectAt(app, "#/settings");
  await app.press("g c");
  await expectAt(app, "#/compact");
  const one = await expectFitting(app, 1);

  const runs = ["api", "docs", "infra"].map((project, at) => new Run(runtime, at + 1, project));
  for (const [at, run] of runs.entries()) {
    await run.begin();
    // More than the window has room for, so that its page could be anywhere but at its title.
    const later = Array.from({ length: 40 }, (_, step) => ({
      step: `Step ${step}`,
      status: "pending" as const,
    }));
    await run.plan([{ step: `Work on ${run.folder}`, status: "in_progress" }, ...later]);
    await expectFitting(app, at + 2);
  }
  const four = await expectFitting(app, 4);
  expect(four.height).toBeGreaterThan(one.height);
  await runs[1]!.rest();
  const three = await expectFitting(app, 3);
  expect(three.height).toBeLessThan(four.height);
  await runs[0]!.wait();
  await app.expectText("needs you");
  await expectFitting(app, 3);

  // From line to line, and round.
  await app.press("ArrowDown");
  const links = (): Promise<number> =>
    app.browser.execute(() => [...document.querySelectorAll("main li a")].indexOf(document.activeElement!));
  await until("the first has the focus", async () => (await links()) === 0);
  await app.press("ArrowUp");
  await until("the last has the focus", async () => (await links()) === 2);
  await app.press("ArrowDown", "ArrowDown");
  await until("the second has the focus", async () => (await links()) === 1);
  const address = await focused(app);
  // Events elsewhere take the focus from nobody, and the lines keep their places.
  const [api, , infra] = runs as [Run, Run, Run];
  await infra.wait();
  const changes = [() => api.goOn(), () => infra.goOn().then(() => api.wait())];
  for (const change of changes) {
    const [before, said] = [await order(app), await states(app)];
    await change();
    await until("the lines say otherwise", async () => (await states(app)) !== said);
    expect(await focused(app)).toBe(address);
    expect(await order(app)).toEqual(before);
  }
  await app.press("Enter");
  await expectAt(app, address);
  await expectWindow("is whole", ({ width, height }) => width === whole.width && height === whole.height);
  await until("it starts at its title", () => isTitleInView(app));

  // By its key of the desktop's window, and back with Escape to where one was.
  await app.press("Control+Shift+M");
  await expectAt(app, "#/compact");
  await expectFitting(app, 3);
  await app.press("Escape");
  await expectAt(app, address);
  await expectWindow("is whole again", ({ width }) => width === whole.width);
  await app.press("g c");
  await expectFitting(app, 3);
  await tabTo(app, "Back to the window");
  await app.press("Enter");
  await expectAt(app, address);
  await expectWindow("is whole once more", ({ width }) => width === whole.width);
  await app.press("Escape");
  await expectAt(app, "#/");
  await expectFocusOn(app, /./);
  await agent.close();
});
