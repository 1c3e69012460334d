// An agent's own list, beside ours and instead of it.
import { findings } from "./findings.ts";
import { expect, test } from "./test.ts";

const PLAN = [
  { content: "Reproduce the error", status: "completed" },
  { content: "Mend it", status: "in_progress" },
  { content: "Write the changelog", status: "pending" },
];

const CODEX = {
  agent: { name: "codex", version: "0.152.0" },
  ownSession: "0199aa11-2b3c-7d4e-8f50-123456789abc",
  folder: "/home/me/billing",
  project: "billing",
};

test.use({ contextOptions: { reducedMotion: "reduce" } });

test("an own list is the run's until ours is there, and then stands under it", async ({
  sightline,
  gateway,
  page,
  socket,
}) => {
  await socket.ask("hello", { agent: CODEX });
  const observed = await socket.ask("todo.observe", {
    tool: "update_plan",
    todos: PLAN,
    title: "Round as the law wants it",
  });
  await sightline.open(gateway.page);
  const card = page.getByRole("article");
  await expect(card).toHaveCount(1);
  await expect(card).toContainText("built-in list (update_plan)");
  await expect(card).toContainText("Mend it");
  await sightline.card("codex").click();
  await sightline.expectRows(PLAN.map(({ content }) => content));
  expect(await findings(page)).toEqual([]);

  await page.evaluate((id) => (location.hash = `#/session/${String(id)}`), observed.sessionId);
  await expect(page).not.toHaveURL(new RegExp(String(observed.sessionId)));
  await sightline.expectRows(PLAN.map(({ content }) => content));

  await socket.ask("todo.write", { todos: [{ content: "Ours", status: "in_progress" }] });
  await sightline.expectRows(["Ours"]);
  const own = page.getByRole("region", { name: "Built-in list (update_plan)" });
  await expect(own.locator("[data-uid]")).toHaveCount(PLAN.length);
  expect(await findings(page), "with both").toEqual([]);
  await page.getByRole("link", { name: "Now", exact: true }).first().click();
  await expect(card).toHaveCount(1);
  await expect(card).toContainText("Ours");
  await expect(card).not.toContainText("built-in list");

  const { sessions } = await socket.ask("session.list");
  const [run] = sessions as { sessionId: string }[];
  await socket.ask("todo.clear", { sessionId: run!.sessionId });
  await expect(card).not.toContainText("Ours");
  await expect(card, "an empty list stands for its run as well").not.toContainText("built-in list");
});
