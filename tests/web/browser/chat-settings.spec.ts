// Settings of the built-in agent over the real gateway: each is seen to take effect there.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { calls, says, scripted, SIMPLE } from "../parts/model.ts";
import { fileCommand, WRITE } from "../parts/tools.ts";
import { select } from "./page.ts";
import { expect, test } from "./test.ts";

const KEY = "sk-never-to-be-seen-again";

test("a provider and a server of tools are added; a tool that is never to be called is not", async ({
  sightline,
  gateway,
  folder,
  page,
  socket,
}) => {
  const path = join(folder.home, "out.txt");
  const answers = [SIMPLE, calls([WRITE, { path, content: "3" }]), says("Then not.")];
  const { chatProviders, chatModel } = await scripted(folder, answers);
  await sightline.open(gateway.page);
  await page.getByRole("link", { name: "Settings" }).click();
  const agent = page.getByRole("region", { name: "Built-in agent" });
  const dialog = page.getByRole("dialog");

  await agent.getByRole("button", { name: "Add a provider…" }).click();
  await dialog.getByLabel("Name").fill("mock");
  await dialog.getByLabel("Address").fill(chatProviders[0]!.endpoint);
  await dialog.getByRole("button", { name: "Add" }).click();
  await expect(agent.getByRole("button", { name: "Remove mock" })).toBeVisible();
  await expect.poll(async () => (await socket.ask("settings.get")).chatProviders).toEqual(chatProviders);
  await agent.getByRole("button", { name: "Model: Choose a model" }).click();
  await dialog.getByRole("option", { name: "scripted" }).dblclick();
  await expect(agent.getByRole("button", { name: `Model: ${chatModel}` })).toBeFocused();

  await agent.getByRole("button", { name: "Add a server…" }).click();
  await dialog.getByLabel("Name").fill("files");
  await dialog.getByLabel("Command").fill(
    fileCommand(folder.home)
      .map((part) => `"${part}"`)
      .join(" "),
  );
  await dialog.getByRole("button", { name: "Add" }).click();
  await expect(agent.getByRole("checkbox", { name: "files is on" })).toBeChecked();
  await agent.getByRole("button", { name: "Show tools" }).click();
  const policy = agent.getByLabel(`Before ${WRITE} is called`);
  await expect(policy).toHaveText("Ask me");
  await select(policy, "Never call");
  await expect.poll(async () => (await socket.ask("settings.get")).chatTools).toEqual({ [WRITE]: "deny" });

  const { sessionId } = await socket.ask("chat.send", { content: "Write it" });
  await sightline.goTo(`#/session/${String(sessionId)}`);
  await expect(page.getByText("Then not.")).toBeVisible();
  await expect(page.getByRole("button", { name: new RegExp(`not called.*${WRITE}`) })).toBeVisible();
  expect(existsSync(path)).toBe(false);
});

test("a server that cannot be started says so on its line, as soon as it is added", async ({
  sightline,
  gateway,
  page,
}) => {
  await sightline.open(gateway.page);
  await page.evaluate(() => (location.hash = "#/settings"));
  const dialog = page.getByRole("dialog");
  await page.getByRole("button", { name: "Add a server…" }).click();
  await dialog.getByLabel("Name").fill("broken");
  await dialog.getByLabel("Command").fill("no-such-program --x");
  await dialog.getByRole("button", { name: "Add" }).click();
  const line = page.locator(".entry").filter({ hasText: "broken" });
  await expect(line.getByRole("alert")).toContainText('"no-such-program" cannot be started');
  await line.getByRole("checkbox").uncheck();
  await expect(line.getByRole("alert")).toHaveCount(0);
});

test("a model that cannot be reached is told in full, also where there is little room; not once it is tried no more", async ({
  sightline,
  gateway,
  page,
  socket,
}) => {
  const chatProviders = [{ name: "mock", kind: "openai", endpoint: "http://127.0.0.1:9/v1/" }];
  await socket.ask("settings.update", { chatProviders, chatModel: "mock:scripted" });
  await page.setViewportSize({ width: 400, height: 700 });
  await sightline.open(gateway.page);
  await page.evaluate(() => (location.hash = "#/chat"));
  const button = page.getByRole("button", { name: "Model: mock:scripted" });
  const picker = page.getByRole("dialog", { name: "Models" });
  await button.click();
  await expect(picker.getByText(/^mock cannot be reached at http:/)).toBeVisible();
  await picker.getByRole("button", { name: "Test" }).click();
  const said = picker.getByRole("status");
  await expect(said).toContainText("the endpoint in Settings.");
  expect(await said.evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)).toBe(0);
  await page.keyboard.press("Escape");
  await button.click();
  await expect(said).toHaveText("");
  await page.keyboard.press("Escape");

  await page.getByLabel("Task", { exact: true }).fill("Say hello");
  await page.keyboard.press("Enter");
  await page
    .getByRole("list", { name: "Messages" })
    .getByRole("button", { name: "Choose another model" })
    .click();
  await expect(picker).toBeVisible();
  await page.keyboard.press("Escape");
  await page.getByRole("link", { name: "Settings of the built-in agent" }).click();
  await expect(page.getByRole("button", { name: "Model: mock:scripted" })).toBeFocused();
});

test("a key is kept, never shown again, and removed", async ({ sightline, gateway, page, socket }) => {
  const received: string[] = [];
  page.on("websocket", (opened) =>
    opened.on("framereceived", ({ payload }) => received.push(String(payload))),
  );
  await sightline.open(gateway.page);
  await page.evaluate(() => (location.hash = "#/settings"));
  const field = page.getByLabel("Key of anthropic", { exact: true });
  const line = page.locator("form").filter({ has: field });
  await expect(line).toContainText("needs a key");
  await field.fill(KEY);
  await page.keyboard.press("Enter");
  await expect(line).toContainText(/in the keyring|in a file/);
  await expect(field).toHaveValue("");
  const kept = (await socket.ask("vault.keys.list")).keys as Record<string, string>;
  expect(["keyring", "file"]).toContain(kept.anthropic);

  await page.reload();
  await expect(line).toContainText(/in the keyring|in a file/);
  await expect(field).toHaveValue("");
  expect(await page.content()).not.toContain(KEY);
  expect(received.some((frame) => frame.includes("vault.keys.list.result"))).toBe(true);
  expect(received.filter((frame) => frame.includes(KEY))).toEqual([]);

  await page.getByRole("button", { name: "Delete the key of anthropic" }).click();
  await expect(line).toContainText("needs a key");
  await expect(page.getByRole("button", { name: "Delete the key of anthropic" })).toHaveCount(0);
  expect((await socket.ask("vault.keys.list")).keys).not.toHaveProperty("anthropic");
});
