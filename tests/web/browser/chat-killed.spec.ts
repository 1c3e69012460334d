// A run whose gateway is killed in its middle: the next one says so, and it goes on where it was.
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { type Answer, calls, COMPLEX, completes, DONE, plan, says, scripted } from "../parts/model.ts";
import { fileServer, WRITE } from "../parts/tools.ts";
import { expect, test } from "./test.ts";

/** Nobody waits for its end. */
const SLOW: Answer = says("Looking at the second. ".repeat(40), 1_000);

test("a run that was killed goes on with Resume, once, and what was completed before is not done again", async ({
  sightline,
  gateway,
  folder,
  socket,
  page,
}) => {
  const path = join(folder.home, "one.txt");
  const writes = calls([WRITE, { path, content: "1" }]);
  const model = await scripted(folder, [
    COMPLEX,
    plan("Write the one", "Look at it"),
    writes,
    completes(1),
    SLOW,
    completes(2),
    DONE,
  ]);
  const { chatServers } = fileServer(folder.home);
  await socket.ask("settings.update", { ...model, chatServers, chatTools: { [WRITE]: "auto" } });
  const { sessionId } = await socket.ask("chat.send", { content: "Write the one, and look at it" });
  await sightline.open(gateway.page);
  await sightline.goTo(`#/session/${String(sessionId)}`);
  await expect(page.getByText(/^Looking at the second/)).toBeVisible();
  await expect(sightline.row("Write the one")).toHaveAttribute("data-status", "completed");
  await expect(sightline.row("Look at it")).toHaveAttribute("data-status", "in_progress");
  const written = statSync(path).mtimeMs;

  const { port, pid } = gateway.runtime;
  process.kill(pid, "SIGKILL");
  await expect(sightline.connection).toHaveAttribute("data-state", "reconnecting");
  await gateway.start(port);
  await expect(sightline.connection).toHaveAttribute("data-state", "connected");
  const messages = page.getByRole("list", { name: "Messages" });
  await expect(messages.getByText("Interrupted.")).toBeVisible();
  await expect(page.getByRole("button", { name: "Stop" })).toHaveCount(0);
  await expect(sightline.row("Write the one")).toHaveAttribute("data-status", "completed");

  await page.getByRole("button", { name: "Resume" }).dblclick();
  await expect(sightline.row("Look at it")).toHaveAttribute("data-status", "completed");
  await expect(page.getByRole("button", { name: "Send" })).toBeVisible();
  await expect(page.getByRole("button", { name: "Resume" })).toHaveCount(0);
  await expect(page.getByRole("alert"), "it is resumed once").toHaveCount(0);
  await sightline.expectRows(["Write the one", "Look at it"]);
  await expect(messages.getByRole("button")).toHaveText([
    /done\s*files__write_file/,
    /done\s*todo_manager.*\[1\]/,
    /done\s*todo_manager.*\[2\]/,
  ]);
  expect(readFileSync(path, "utf8")).toBe("1");
  expect(statSync(path).mtimeMs, "it was written once").toBe(written);
});
