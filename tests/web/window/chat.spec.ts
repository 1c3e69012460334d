// The built-in agent in the real window: a task from its prompt to its end, an edit that changes what it does, a stop.
import type { DataFolder } from "../parts/gateway.ts";
import { type Answer, COMPLEX, completes, DONE, plan, says, scripted, SIMPLE } from "../parts/model.ts";
import { until } from "../parts/process.ts";
import { Socket } from "../parts/socket.ts";
import type { AppWindow } from "./app.ts";
import { expect, test } from "./test.ts";

/** Slow enough for whoever sits before it. */
const SLOW = 400;

async function configure(folder: DataFolder, answers: Answer[]): Promise<Socket> {
  const socket = await Socket.open(await folder.gateway());
  await socket.ask("settings.update", await scripted(folder, answers));
  return socket;
}

async function begin(app: AppWindow, task: string): Promise<void> {
  await app.named("New task").waitForExist();
  await app.named("New task").click();
  await app.named("Task").waitForExist();
  await app.write(task);
  await app.named("Begin").click();
}

// T8 to T11, G6
test("a task is planned, worked on and finished, and is there after a restart", async ({ open, folder }) => {
  let app = await open();
  const socket = await configure(folder, [
    COMPLEX,
    plan("Read the file", "Write the summary"),
    completes(1),
    completes(2),
    DONE,
  ]);
  await begin(app, "Read the file and write a summary");
  await app.expectRows(["Read the file", "Write the summary"]);
  await until("both are done", async () => (await app.rows()).every(({ status }) => status === "completed"));
  await until("it has looked at the whole", async () => !(await app.named("Stop").isExisting()));
  await until("the conversation shows its calls", async () => (await app.text()).includes("todo_manager"));
  socket.close();
  await app.close();
  await until("the gateway goes with its window", () => !folder.runtime);
  app = await open();
  await app.openSession("sightline");
  await until("the conversation is there again", async () =>
    (await app.text()).includes("Read the file and write a summary"),
  );
  await app.expectRows(["Read the file", "Write the summary"]);
  expect(await app.text()).not.toContain("Interrupted");
});

// P11
test("an edit in the middle of a run changes what it does", async ({ open, folder }) => {
  const app = await open();
  const slow = says("I look at the first of them, and that takes a while, with many words on the way.", SLOW);
  const socket = await configure(folder, [
    COMPLEX,
    plan("First", "Second"),
    slow,
    completes(1),
    completes(2),
    DONE,
  ]);
  await begin(app, "Do the first and the second");
  await app.expectRows(["First", "Second"]);
  await app.delete(2);
  await app.add("Third");
  await app.expectRows(["First", "Third"]);
  await until("what is left is done", async () =>
    (await app.rows()).every(({ status }) => status === "completed"),
  );
  expect((await app.rows()).length).toBe(2);
  socket.close();
});

// T12
test("a stop ends it at once, with what was said so far", async ({ open, folder }) => {
  const app = await open();
  const socket = await configure(folder, [
    SIMPLE,
    says("This answer would take a minute, and nobody has to wait for its end to come.", 5_000),
  ]);
  await begin(app, "Take your time");
  await until("it has begun to answer", async () => (await app.text()).includes("This answer"));
  await app.named("Stop").click();
  await until("it says that it was stopped", async () => (await app.text()).includes("Stopped."));
  expect(await app.text()).toContain("This answer");
  socket.close();
});
