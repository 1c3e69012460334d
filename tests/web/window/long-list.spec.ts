// As many steps as a list can have, gone through by keys: what has the focus is really seen.
import { Agent } from "../parts/agent.ts";
import { until } from "../parts/process.ts";
import type { AppWindow } from "./app.ts";
import { expect, test } from "./test.ts";

const STEPS = 256;

/** Waits until a row is in view as a whole, over everything else, with its words painted. */
async function expectSeen(app: AppWindow, position: number): Promise<void> {
  let seen: unknown;
  await until(
    `row ${position} is seen`,
    async () => {
      const at = await app.browser.execute((wanted) => {
        const row = document.querySelector(`[aria-label="Steps"] [data-position="${wanted}"]`)!;
        const { top, bottom, left, width } = row.getBoundingClientRect();
        const points = [top + 3, (top + bottom) / 2, bottom - 3];
        const over = points.map((y) => row.contains(document.elementFromPoint(left + width / 2, y)));
        const words = (row as HTMLElement).innerText;
        return { top, bottom, over, words, high: innerHeight };
      }, position);
      seen = at;
      const isIn = at.top >= 0 && at.bottom <= at.high && at.bottom > at.top;
      return isIn && at.over.every(Boolean) && at.words.includes(`Step number ${position}`);
    },
    10,
  ).catch((error: Error) => {
    throw new Error(`${error.message}; it is ${JSON.stringify(seen)}`);
  });
}

/** True if any part of a row is in view, once the page stands still. */
async function isInView(app: AppWindow, position: number): Promise<boolean> {
  return app.browser.execute(async (wanted) => {
    const page = document.querySelector("main .page")!;
    let [last, frames] = [-1, 0];
    while (frames < 10) {
      await new Promise(requestAnimationFrame);
      frames = page.scrollTop === last ? frames + 1 : 0;
      last = page.scrollTop;
    }
    const row = document.querySelector(`[aria-label="Steps"] [data-position="${wanted}"]`)!;
    const { top, bottom } = row.getBoundingClientRect();
    return bottom > 0 && top < innerHeight;
  }, position);
}

test("256 steps are gone through by keys, and what has the focus is seen", async ({ open, folder }) => {
  const app = await open();
  const agent = await Agent.connect(await folder.gateway(), "window-agent");
  await agent.write(
    Array.from({ length: STEPS }, (_, at) => ({
      content: `Step number ${at + 1}`,
      status: at === 0 ? "in_progress" : "pending",
    })),
  );
  await app.card("window-agent").waitForExist();
  await app.press("]");
  // Found by less than its name, for which the driver looks at everything.
  await app.browser.$('[data-field="add"] input').waitForExist();
  await app.press("ArrowDown");
  await app.expectFocus("1");
  await expectSeen(app, 1);
  await app.press("End");
  await app.expectFocus(String(STEPS));
  await expectSeen(app, STEPS);
  await app.press("ArrowUp");
  await app.expectFocus(String(STEPS - 1));
  await expectSeen(app, STEPS - 1);
  await app.press("Home");
  await app.expectFocus("1");
  await expectSeen(app, 1);
  // By pages, and on from where the focus is.
  await app.press("PageDown");
  await until("it goes on by a page", async () => !(await isInView(app, 1)));
  await app.press("PageUp");
  await until("it goes back by a page", async () => isInView(app, 1));
  await app.press("PageDown", "PageDown");
  for (let row = 2; row <= 30; row++) {
    await app.press("ArrowDown");
    await app.expectFocus(String(row));
  }
  await expectSeen(app, 30);

  // The agent goes on: who looks at a row still sees it.
  await app.press("End");
  await app.expectFocus(String(STEPS));
  const { todos } = await agent.read();
  await agent.write([{ ...todos[0]!, status: "completed" }, ...todos.slice(1)]);
  await until("it is done", async () => (await app.rows())[0]?.status === "completed");
  await app.expectFocus(String(STEPS));
  await expectSeen(app, STEPS);
  await app.press("Delete");
  await until("it is gone", async () => (await app.rows()).length === STEPS - 1);
  await app.expectFocus(String(STEPS - 1));
  await expectSeen(app, STEPS - 1);
  expect(await app.focused()).toBe(String(STEPS - 1));
  await agent.close();
});
