// The built-in agent in a browser: which model works, a call that is allowed by key, a conversation that stays in place.
import { existsSync } from "node:fs";
import { join } from "node:path";
import {
  type Answer,
  calls,
  COMPLEX,
  completes,
  DONE,
  plan,
  says,
  scripted,
  SIMPLE,
} from "../parts/model.ts";
import { fileServer, WRITE } from "../parts/tools.ts";
import { expect, test } from "./test.ts";

const LONG: Answer = says(
  Array.from({ length: 30 }, (_, at) => `Paragraph ${at} of the answer.`).join("\n\n"),
);

test("a model is found, tried and chosen, and works on the task; a session can have another", async ({
  sightline,
  gateway,
  folder,
  socket,
  page,
}) => {
  const careful = [says("Yes."), SIMPLE, says("I am the careful one.")];
  const { chatProviders } = await scripted(folder, [SIMPLE, says("I am the other.")], { careful });
  await socket.ask("settings.update", { chatProviders });
  await sightline.open(`${gateway.page}`);
  await page.getByRole("link", { name: "New task" }).click();
  await page.getByRole("button", { name: "Choose a model" }).click();
  const picker = page.getByRole("dialog", { name: "Models" });
  await expect(picker.getByRole("group", { name: "mock" }).getByRole("option")).toHaveText([
    "careful",
    "scripted",
  ]);
  await expect(picker.getByText(/anthropic.* need a key\./)).toBeVisible();
  await page.keyboard.type("care");
  await expect(picker.getByRole("option")).toHaveCount(1);
  await picker.getByRole("button", { name: "Test" }).click();
  await expect(picker.getByRole("status")).toContainText("It answers.");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("button", { name: "Model: mock:careful" })).toBeFocused();
  await expect
    .poll(async () => (await socket.ask("settings.get")).chatModel, "the first becomes that of all")
    .toBe("mock:careful");

  await page.getByLabel("Task", { exact: true }).fill("Say who you are");
  await page.keyboard.press("Enter");
  await expect(page.getByText("I am the careful one.")).toBeVisible();
  const message = page.getByLabel("Message", { exact: true });
  await expect(message).toBeFocused();

  await page.getByRole("button", { name: "Model: mock:careful" }).click();
  await picker.getByRole("option", { name: "scripted" }).dblclick();
  await message.fill("And you?");
  await page.keyboard.press("Enter");
  await expect(page.getByText("I am the other.")).toBeVisible();
  const sessionId = decodeURIComponent(new URL(page.url()).hash.replace("#/session/", ""));
  expect((await socket.ask("chat.get", { sessionId })).model).toBe("mock:scripted");
  expect((await socket.ask("settings.get")).chatModel).toBe("mock:careful");
});

test("a call that needs the user is allowed by key alone, and the focus goes on", async ({
  sightline,
  gateway,
  folder,
  socket,
  page,
}) => {
  const path = join(folder.home, "out.txt");
  const writes = calls([WRITE, { path, content: "3" }]);
  const answers = [COMPLEX, plan("Write it"), writes, completes(1), DONE];
  await socket.ask("settings.update", { ...(await scripted(folder, answers)), ...fileServer(folder.home) });
  await sightline.open(gateway.page);
  await page.keyboard.press("g");
  await page.keyboard.press("t");
  await expect(page.getByLabel("Task", { exact: true })).toBeFocused();
  await page.keyboard.type("Write it, and look at it");
  await page.keyboard.press("Shift+Enter");
  await page.keyboard.type("and once more");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("region", { name: /^May it call/ })).toContainText(path);
  await expect(page.getByLabel("Message", { exact: true })).toBeFocused();
  expect(existsSync(path)).toBe(false);
  await page.getByRole("link", { name: /^Needs you/ }).click();
  await expect(page.getByRole("heading", { name: /^Needs you/ })).toBeVisible();
  await expect(page.getByRole("main").getByRole("listitem")).toContainText(`May ${WRITE} be called?`);
  await page.getByRole("button", { name: /^Answer/ }).press("Enter");
  await expect(page.getByLabel("Message", { exact: true })).toBeFocused();
  for (const name of ["Refuse", "Allow for this session", "Allow once"]) {
    await page.keyboard.press("Shift+Tab");
    await expect(page.getByRole("button", { name, exact: true })).toBeFocused();
  }
  await page.keyboard.press("Enter");
  await expect(page.getByRole("button", { name: "Send" })).toBeVisible();
  expect(existsSync(path)).toBe(true);
  await expect(page.getByLabel("Message", { exact: true })).toBeFocused();
  await expect(sightline.row("Write it")).toHaveAttribute("data-status", "completed");
});

test("a conversation stays at its end, whatever is pointed at", async ({
  sightline,
  gateway,
  folder,
  socket,
  page,
}) => {
  await socket.ask("settings.update", await scripted(folder, [SIMPLE, LONG]));
  const { sessionId } = await socket.ask("chat.send", { content: "Tell me all" });
  await sightline.open(`${gateway.page}`);
  await sightline.goTo(`#/session/${String(sessionId)}`);
  const scroller = page.getByRole("region", { name: "Conversation" });
  const below = (): Promise<number> =>
    scroller.evaluate((it) => Math.round(it.scrollHeight - it.clientHeight - it.scrollTop));
  await expect(page.getByText("Paragraph 29 of the answer.")).toBeInViewport();
  await expect.poll(below).toBe(0);
  await page.getByText("Paragraph 29 of the answer.").hover();
  await page.mouse.move(0, 0);
  // Lines that are not laid out any more would be missing in the next frames.
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  expect(await below()).toBe(0);
  await scroller.focus();
  await page.keyboard.press("Home");
  await expect(page.getByText("Tell me all").last()).toBeInViewport();
  await page.getByRole("button", { name: "Jump to the end" }).click();
  await expect.poll(below).toBe(0);
});
