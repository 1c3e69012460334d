// Long and odd content: nothing overflows, nothing jumps, and a change touches only its row.
import type { Page } from "@playwright/test";
import type { Agent, Todo } from "../parts/agent.ts";
import { MARKUP } from "../parts/story.ts";
import { expect, test } from "./test.ts";

const WIDE = { width: 1180, height: 820 };
const PHONE = { width: 390, height: 844 };
/** As wide as the page is at 200 % in a window of 1180. */
const ZOOMED = { width: 590, height: 410 };

const LONG = "A very long word: ".padEnd(2000, "abcdefghij");
const ODD: Todo[] = [
  { content: "x".repeat(2000), status: "completed" },
  { content: LONG, activeForm: LONG, status: "in_progress", priority: "high" },
  { content: "👩‍👩‍👧‍👦".repeat(150), status: "pending" },
  { content: "שלום עולם, זה צעד ארוך עם מספר 42 ועוד English באמצע", status: "pending" },
  { content: "قائمة المهام: أصلح المحلل ثم أضف الاختبارات (انظر README.md)", status: "pending" },
  { content: 'fn main() {\n    println!("{:?}", x);\n}\n\n\n\nlast', status: "pending" },
  { content: MARKUP, status: "pending" },
  { content: `https://example.com/${"path/".repeat(300)}`, status: "pending" },
  { content: "one\ntwo\nthree\nfour\nfive\nsix", status: "cancelled" },
  { content: "With parts", status: "pending", subtasks: [{ content: "y".repeat(2000), status: "pending" }] },
].map((todo, index) => ({
  ...todo,
  owner: "o".repeat(300),
  category: "c".repeat(300),
  notes: "n".repeat(2000),
  description: LONG,
  estimate: "e".repeat(200),
  dependencies: index > 0 ? ["1", "2"] : [],
}));

/** Elements that are wider than their surroundings. */
async function overflowing(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [
      document.documentElement,
      ...document.querySelectorAll("main, .page, main > .page > *, [data-uid], [data-uid] > *"),
    ]
      .filter((part) => part.scrollWidth > part.clientWidth)
      .map((part) => `${part.tagName} ${part.className}: ${part.scrollWidth} > ${part.clientWidth}`),
  );
}

/** Places of all rows, rounded. */
async function places(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>("[data-uid]")].map((row) => {
      const { x, y, width, height } = row.getBoundingClientRect();
      return [row.dataset.uid, x, y, width, height]
        .map((value) => (typeof value === "number" ? Math.round(value) : value))
        .join(" ");
    }),
  );
}

async function open(
  agent: Agent,
  sightline: { open(address: string): Promise<void>; openSession(agent: string): Promise<void> },
  page: string,
  todos: Todo[],
) {
  await agent.write(todos);
  await sightline.open(page);
  await sightline.openSession("playwright-agent");
}

for (const [name, size] of Object.entries({ wide: WIDE, "at 200 %": ZOOMED, "on a phone": PHONE })) {
  test(`nothing overflows, ${name}`, async ({ sightline, gateway, agent, page }) => {
    await page.setViewportSize(size);
    await open(agent, sightline, gateway.page, ODD);
    await expect(sightline.rows).toHaveCount(ODD.length + 1);
    expect(await overflowing(page)).toEqual([]);
    expect(await page.evaluate(() => "owned" in window), "markup is text").toBe(false);

    for (const position of [2, 6]) {
      await sightline.rows.nth(position - 1).focus();
      await page.keyboard.press("i");
      await expect(sightline.details(position)).toBeVisible();
    }
    await page.getByLabel("Tell the agent", { exact: true }).fill(LONG);
    await page.keyboard.press("Enter");
    await expect(page.getByText(/^1 pending, delivered on its next call/)).toBeVisible();
    await sightline.rows.first().focus();
    await page.keyboard.press("F2");
    await expect(page.getByLabel("Text of step 1", { exact: true })).toBeFocused();
    expect(await overflowing(page)).toEqual([]);
  });
}

test("a long text is folded to three lines, and shown whole where one asks", async ({
  sightline,
  gateway,
  agent,
  page,
}) => {
  await open(agent, sightline, gateway.page, [
    { content: LONG, status: "pending" },
    { content: "Short", status: "pending" },
  ]);
  const row = sightline.rows.first();
  const more = row.getByRole("button", { name: "more", exact: true });
  // It comes once the text is measured, and has a line of its own.
  await expect(more).toBeVisible();
  const folded = (await row.boundingBox())!.height;
  expect(folded).toBeLessThan(120);
  await expect(more).toHaveAttribute("aria-expanded", "false");
  await more.click();
  await expect.poll(async () => (await row.boundingBox())!.height).toBeGreaterThan(400);
  await row.getByRole("button", { name: "less", exact: true }).click();
  await expect.poll(async () => (await row.boundingBox())!.height).toBe(folded);
  await expect(sightline.row("Short").getByRole("button", { name: "more" })).toHaveCount(0);
});

test("nothing jumps when a chip comes, is told and is taken in, nor where one points", async ({
  sightline,
  gateway,
  agent,
  page,
}) => {
  const todos: Todo[] = [
    { content: "Read the format page", status: "completed" },
    {
      content: "A step with a text that is so long that it takes more than a line in the list of its session",
      status: "pending",
    },
    { content: "Add the tests", status: "pending" },
    { content: "Open the pull request", status: "pending" },
  ];
  await open(agent, sightline, gateway.page, todos);
  await expect(sightline.rows).toHaveCount(4);
  const before = await places(page);

  const long = sightline.rows.nth(1);
  await long.hover();
  expect(await places(page)).toEqual(before);
  await long.focus();
  await page.keyboard.press("p");
  await expect(long).toContainText("high");
  await expect(long).toContainText("pending · next call");
  expect(await places(page)).toEqual(before);

  const told = await agent.write(todos);
  await expect(long).toContainText(/delivered \d/);
  expect(await places(page)).toEqual(before);
  await agent.write(told.todos);
  await expect(long).toContainText("applied");
  expect(await places(page)).toEqual(before);
});

test("of 256 steps a change touches one row, and keeps the others where they are", async ({
  sightline,
  gateway,
  agent,
  page,
}) => {
  const todos: Todo[] = Array.from({ length: 256 }, (_, index) => ({
    id: `n${index}`,
    content: `Step number ${index + 1}`,
    status: index < 60 ? "completed" : "pending",
    ...(index < 44 && { subtasks: [{ content: "A part of it", status: "completed" }] }),
  }));
  await open(agent, sightline, gateway.page, todos);
  await expect(sightline.rows).toHaveCount(300);
  await sightline.row("Step number 200").focus();
  const before = (await sightline.row("Step number 200").boundingBox())!.y;
  await page.evaluate(() => {
    const touched = new Set<string>();
    const observer = new MutationObserver((records) => {
      for (const { target } of records) {
        const at = target instanceof Element ? target : target.parentElement;
        const uid = at?.closest<HTMLElement>("[data-uid]")?.dataset.uid;
        if (uid) touched.add(uid);
      }
    });
    const list = document.querySelector("[data-uid]")!.parentElement!;
    observer.observe(list, { subtree: true, childList: true, characterData: true, attributes: true });
    Object.assign(window, { touched });
  });
  await agent.write(todos.with(201, { ...todos[201]!, content: "Step number 202, otherwise" }));
  await expect(sightline.row("Step number 202, otherwise")).toBeVisible();
  const touched = await page.evaluate(() => [...(window as unknown as { touched: Set<string> }).touched]);
  expect(touched).toEqual([await sightline.row("Step number 202, otherwise").getAttribute("data-uid")]);
  expect(Math.abs((await sightline.row("Step number 200").boundingBox())!.y - before)).toBeLessThan(1);
});
