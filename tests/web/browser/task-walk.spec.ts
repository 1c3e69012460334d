// A task for the built-in agent with the keyboard alone: written, given a model and a folder, begun, and talked about.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { Run } from "../parts/codex-run.ts";
import { COMPLEX, completes, DONE, plan, says, scripted, SIMPLE } from "../parts/model.ts";
import { Walk } from "../parts/walk.ts";
import { expect, test } from "./test.ts";

test.use({ viewport: { width: 1180, height: 820 }, contextOptions: { reducedMotion: "reduce" } });

const LONG = Array.from({ length: 40 }, (_, at) => `Paragraph ${at} of the answer.`).join("\n\n");

test("a new task and its conversation by keys alone", async ({
  sightline,
  gateway,
  folder,
  socket,
  page,
}) => {
  const walk = new Walk(page);
  const answers = [
    COMPLEX,
    plan("Read it", "Sum it up"),
    completes(1),
    completes(2),
    DONE,
    SIMPLE,
    says(LONG),
  ];
  const { chatProviders } = await scripted(folder, answers);
  await socket.ask("settings.update", { chatProviders });
  const orders = join(folder.home, "orders");
  mkdirSync(orders);
  await new Run(gateway.runtime, 1, orders).begin();
  await sightline.open(gateway.page);
  await expect(page.getByRole("main").locator("[data-run]")).toHaveCount(1);

  await walk.press("g t");
  const task = page.getByLabel("Task", { exact: true });
  await expect(task).toBeFocused();
  await page.keyboard.type("Read it, and sum it up");
  await walk.round("New task");

  // The model: found by its name, tried, and taken.
  await walk.tabTo(page.getByRole("button", { name: "Choose a model" }));
  await walk.press("Enter");
  const picker = page.getByRole("dialog", { name: "Models" });
  await expect(picker.getByRole("option", { name: "scripted" })).toBeVisible();
  await walk.press("Escape");
  await expect(picker).toHaveCount(0);
  await expect(page.getByRole("button", { name: "Choose a model" })).toBeFocused();
  await walk.press("Enter");
  await expect(picker.getByRole("option", { name: "scripted" })).toBeVisible();
  await walk.press("ArrowDown", "Enter");
  await expect(page.getByRole("button", { name: "Model: mock:scripted" })).toBeFocused();

  // The folder: from the list of those that are often meant.
  const path = page.getByRole("combobox", { name: "Folder", exact: true });
  await walk.tabTo(path);
  await walk.press("ArrowDown");
  const offered = page.getByRole("option", { name: orders });
  await expect(offered).toHaveAttribute("aria-selected", "true");
  await walk.press("Escape");
  await expect(offered).toHaveCount(0);
  await expect(path).toBeFocused();
  await walk.press("ArrowDown", "Enter");
  await expect(path).toHaveValue(orders);

  // Left and come back to: it is as it was.
  await walk.press("Escape");
  await expect(path).not.toBeFocused();
  await walk.press("Escape");
  await walk.expectHeading("Now");
  await walk.press("g t");
  await expect(task).toHaveValue("Read it, and sum it up");
  await expect(path).toHaveValue(orders);

  await walk.tabTo(page.getByRole("button", { name: "Begin", exact: true }));
  await walk.press("Space");
  await expect(page).toHaveURL(/#\/session\//);
  const message = page.getByLabel("Message", { exact: true });
  await expect(message).toBeFocused();
  await expect(page.getByRole("button", { name: "Send" })).toBeVisible();
  await expect(sightline.rows).toHaveCount(2);
  await expect(sightline.row("Sum it up")).toHaveAttribute("data-status", "completed");
  await walk.round("A conversation");

  // Its list beside it.
  await walk.tabTo(sightline.rows.first());
  await walk.press("ArrowDown");
  await expect(sightline.rows.last()).toBeFocused();

  // Written into, and read from its beginning.
  await walk.tabTo(message, "Shift+Tab");
  await page.keyboard.type("And once more,");
  await walk.press("Shift+Enter");
  await page.keyboard.type("at length");
  await walk.press("Enter");
  await expect(message).toHaveValue("");
  await expect(page.getByText("Paragraph 39 of the answer.")).toBeInViewport();
  const talk = page.getByRole("region", { name: "Conversation", exact: true });
  await walk.tabTo(talk, "Shift+Tab");
  await walk.press("Home");
  await expect(page.getByText("Read it, and sum it up").last()).toBeInViewport();
  const toEnd = page.getByRole("button", { name: "Jump to the end" });
  await walk.tabTo(toEnd);
  await walk.press("Enter");
  await expect(page.getByText("Paragraph 39 of the answer.")).toBeInViewport();
  await expect(toEnd).toHaveCount(0);
  await expect(message, "its button is gone, and the focus goes on").toBeFocused();

  await walk.press("Escape");
  await expect(message).not.toBeFocused();
  await walk.press("Escape");
  await expect(page).toHaveURL(/#\/$/);
  await expect(page.getByRole("link", { name: /^sightline · / })).toBeFocused();
});
