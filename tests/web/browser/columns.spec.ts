// The columns of dense lines: none is moved by a text that comes late.
import type { Locator } from "@playwright/test";
import { Run } from "../parts/codex-run.ts";
import { expect, test } from "./test.ts";

/** So many stand on lines. */
const RUNS = 17;
const LONG = "Prepare the release of the parser, with all that belongs to it";

/** Where each part of each line begins, and how wide its column is. */
function columnsOf(lines: Locator): Promise<string[][]> {
  return lines.evaluateAll((all) =>
    all.map((line) =>
      [".who", ".name", ".aside", ".step", ".figure", ".age"].map((part) => {
        const { left, right } = line.querySelector(part)!.getBoundingClientRect();
        return `${part} ${Math.round(left)} to ${Math.round(right)}`;
      }),
    ),
  );
}

for (const width of [390, 700, 900, 1_280]) {
  test(`no text that comes late moves a column: ${width} wide`, async ({
    sightline,
    gateway,
    agent,
    socket,
    page,
  }) => {
    const runs = Array.from(
      { length: RUNS },
      (_, index) => new Run(gateway.runtime, index + 1, `p-${index}`),
    );
    for (const run of runs) await run.goOn();
    const { sessionId } = await agent.write([{ content: "Ask", status: "pending" }]);
    await page.setViewportSize({ width, height: 900 });
    await sightline.open(gateway.page);
    const lines = page.getByRole("main").locator("[data-run] > .line");
    await expect(lines).toHaveCount(RUNS + 1);
    await expect(page.getByLabel("Search sessions")).toBeVisible();
    const before = await columnsOf(lines);
    // Another title, another name, and steps by the dozen.
    await runs.at(-1)!.begin(LONG);
    await socket.ask("session.mark", { sessionId, title: LONG });
    const plan = Array.from({ length: 24 }, (_, step) => ({
      step: `Step ${step}`,
      status: step < 12 ? ("completed" as const) : ("pending" as const),
    }));
    await runs.at(-2)!.plan(plan);
    const asked = lines.filter({ hasText: `p-${RUNS - 1}` });
    await expect(asked.getByRole("link")).toHaveAttribute("title", new RegExp(LONG));
    const named = lines.filter({ hasText: "Ask" });
    await expect(named.getByRole("link")).toHaveAttribute("title", new RegExp(`^${LONG}`));
    await expect(lines.filter({ hasText: `p-${RUNS - 2}` })).toContainText("12/24");
    expect(await columnsOf(lines)).toEqual(before);
  });
}
