// The page of a conversation: where what is typed goes, and that it stays; its list beside it, or above.
import {
  type Answer,
  COMPLEX,
  completes,
  DONE,
  plan,
  says,
  scripted,
  SIMPLE,
  steps,
} from "../parts/model.ts";
import { fileServer, WRITE } from "../parts/tools.ts";
import { expect, test } from "./test.ts";

/** So slow that it goes on for as long as a test looks at it. */
function slow(word: string): Answer {
  return says(`${word} `.repeat(40), 1_000);
}

const STEPS = 30;
const MADE = 12;

test("while it works a note can be left for it; after Stop one types the next message", async ({
  sightline,
  gateway,
  folder,
  socket,
  page,
}) => {
  const answers = [SIMPLE, slow("click"), SIMPLE, slow("Enter"), SIMPLE, says("At last.")];
  await socket.ask("settings.update", await scripted(folder, answers));
  const { sessionId } = await socket.ask("chat.send", { content: "Tell me all" });
  await sightline.open(gateway.page);
  await sightline.goTo(`#/session/${String(sessionId)}`);
  const message = page.getByLabel("Message", { exact: true });
  await expect(page.getByText(/^click click/)).toBeVisible();
  await message.fill("Mind the gap");
  await page.keyboard.press("Enter");
  await expect(page.getByText("Delivered with its next step", { exact: true })).toBeVisible();
  await expect(page.getByRole("region", { name: "List" }).getByText("Mind the gap")).toBeVisible();
  await expect(message).toHaveValue("");

  const stop = page.getByRole("button", { name: "Stop" });
  for (const how of ["click", "Enter"]) {
    await expect(page.getByText(new RegExp(`^${how} ${how}`))).toBeVisible();
    if (how === "click") await stop.click();
    else await stop.press("Enter");
    await expect(page.getByRole("button", { name: "Send" })).toBeVisible();
    await expect(message).toBeFocused();
    await page.keyboard.type(`After ${how}`);
    await page.keyboard.press("Enter");
    await expect(page.getByRole("list", { name: "Messages" }).getByText(`After ${how}`)).toBeVisible();
  }
  await expect(page.getByText("At last.")).toBeVisible();
  await expect(sightline.rows).toHaveCount(0);
});

test("a list longer than the window scrolls alone, follows its step, and shows nothing below its foot", async ({
  sightline,
  gateway,
  folder,
  socket,
  page,
}) => {
  const all = plan(...Array.from({ length: STEPS }, (_, at) => `Step ${at + 1}, of several words`));
  const made = Array.from({ length: MADE }, (_, at) => completes(at + 1));
  await socket.ask("settings.update", await scripted(folder, [COMPLEX, all, ...made, slow("word")]));
  await sightline.open(gateway.page);
  await page.evaluate(() => (location.hash = "#/chat"));
  await page.getByLabel("Task", { exact: true }).fill("Do all of it");
  await page.keyboard.press("Enter");
  const row = sightline.row(`Step ${MADE + 1},`);
  await expect(row).toHaveAttribute("data-status", "in_progress");
  const foot = page.locator('[data-field="add"]');
  const bottom = async (it: typeof row): Promise<number> => {
    const box = await it.boundingBox();
    return Math.round((box?.y ?? Infinity) + (box?.height ?? 0));
  };
  await expect.poll(async () => (await bottom(row)) <= (await foot.boundingBox())!.y + 1).toBe(true);
  const height = page.viewportSize()?.height ?? 0;
  expect(await bottom(page.locator("main .dock")), "nothing shows below it").toBe(height);
  expect(
    await page
      .locator("main > *")
      .last()
      .evaluate((it) => it.scrollHeight - it.clientHeight),
  ).toBe(0);

  // A user at the list is not taken away from it.
  await sightline.row("Step 1,").hover();
  const { sessionId } = await socket.ask("session.list").then(({ sessions }) => (sessions as never[])[0]!);
  const uid = await sightline.row(`Step ${STEPS},`).getAttribute("data-uid");
  await socket.ask("todo.setStatus", {
    sessionId,
    uid: await row.getAttribute("data-uid"),
    status: "pending",
  });
  await socket.ask("todo.setStatus", { sessionId, uid, status: "in_progress" });
  await expect(sightline.row(`Step ${STEPS},`)).toHaveAttribute("data-status", "in_progress");
  await expect(sightline.row("Step 1,")).toBeInViewport();
});

test("in a narrow window a new task leaves its list folded", async ({
  sightline,
  gateway,
  folder,
  socket,
  page,
}) => {
  await page.setViewportSize({ width: 400, height: 800 });
  await socket.ask("settings.update", await scripted(folder, [SIMPLE, says("Hello.")]));
  await sightline.open(gateway.page);
  await page.evaluate(() => (location.hash = "#/chat"));
  await page.getByLabel("Task", { exact: true }).fill("Say hello");
  await page.keyboard.press("Enter");
  await expect(page.getByText("Hello.", { exact: true })).toBeVisible();
  await expect(page.getByLabel("Message", { exact: true })).toBeFocused();
  await expect(page.getByRole("button", { name: /^List/ })).toHaveAttribute("aria-expanded", "false");
});

test("what is typed outlives the page, and a message a reload", async ({
  sightline,
  gateway,
  folder,
  socket,
  page,
}) => {
  const answers = [COMPLEX, steps({ content: "Write it", tool: WRITE }, { content: "Look at it" }), DONE];
  await socket.ask("settings.update", { ...(await scripted(folder, answers)), ...fileServer(folder.home) });
  const { sessionId } = await socket.ask("chat.send", { content: "Write it, and look at it" });
  const address = `#/session/${String(sessionId)}`;
  await sightline.open(gateway.page);
  await sightline.goTo(address);
  const plan = page.getByRole("region", { name: "Its plan. May it begin?" });
  await expect(plan).toContainText(`without asking again in this run: ${WRITE}.`);
  await plan.getByRole("button", { name: "Edit step 2", exact: true }).click();
  await plan.getByLabel("Step 2", { exact: true }).fill("Look at it twice");
  await page.getByRole("link", { name: "Now", exact: true }).click();
  await expect(page.getByRole("heading", { name: "Now", exact: true })).toBeVisible();
  await page.goBack();
  await expect(plan.getByLabel("Step 2", { exact: true })).toHaveText("Look at it twice");

  const message = page.getByLabel("Message", { exact: true });
  await message.fill("Half a thought");
  await page.reload();
  await expect(message).toHaveValue("Half a thought");
});

test("what the model has computed is read as values, and what it thinks aloud is folded", async ({
  sightline,
  gateway,
  folder,
  socket,
  page,
}) => {
  const ADD = '(module (func (export "add") (param f64 f64) (result f64) local.get 0 local.get 1 f64.add))';
  const sum = `<wat_model call="add" args="8.5 5">${ADD}</wat_model>`;
  const said = `<think>The parts first.</think>\n\nThe sum is ${sum}, the rest <wat_model/>.`;
  const answers = [SIMPLE, says(said, 5), says("\n\nThat is all.", 5)];
  await socket.ask("settings.update", await scripted(folder, answers));
  const { sessionId } = await socket.ask("chat.send", { content: "Add it up" });
  await sightline.open(gateway.page);
  await sightline.goTo(`#/session/${String(sessionId)}`);
  const messages = page.getByRole("list", { name: "Messages" });
  await expect(messages.getByText("That is all.")).toBeVisible();
  await expect(messages.getByRole("group", { name: "computed" })).toHaveText("13.5");
  await expect(messages).toContainText("the rest could not be computed: There is no module in the block.");
  await expect(messages).not.toContainText("<");
  await expect(messages).not.toContainText("The parts first.");
  await messages.getByRole("button", { name: "Reasoning" }).click();
  await expect(messages.getByText("The parts first.", { exact: true })).toBeVisible();
});
