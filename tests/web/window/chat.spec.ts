// The built-in agent in the real window: a task from its prompt to its end, an edit that changes what it does, a stop,
// a call and a plan that are allowed or not.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { DataFolder } from "../parts/gateway.ts";
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
  steps,
} from "../parts/model.ts";
import { until } from "../parts/process.ts";
import { fileServer, WRITE } from "../parts/tools.ts";
import type { AppWindow } from "./app.ts";
import { expect, test } from "./test.ts";

const writes = (path: string): Answer => calls([WRITE, { path, content: "3" }]);

/** Only the window may set what starts programs. */
async function configure(app: AppWindow, folder: DataFolder, answers: Answer[]): Promise<void> {
  await folder.gateway();
  await app.invoke("settings_update", { ...(await scripted(folder, answers)), ...fileServer(folder.home) });
}

async function begin(app: AppWindow, task: string): Promise<void> {
  await app.named("New task").waitForExist();
  await app.named("New task").click();
  await app.named("Task").waitForExist();
  await app.write(task);
  await app.named("Begin").click();
}

/** Waits until these are the steps' statuses, in order. */
async function expectStatuses(app: AppWindow, wanted: string[]): Promise<void> {
  let seen: string[] = [];
  const same = async (): Promise<boolean> => {
    seen = (await app.rows()).map(({ status }) => status);
    return seen.join() === wanted.join();
  };
  await until(`the steps are ${wanted.join()}`, same).catch((error: Error) => {
    throw new Error(`${error.message}; they are ${seen.join()}`);
  });
}

/** Waits until no run can be stopped any more. Asked in one command: a button that is found may be gone by the next. */
async function expectRest(app: AppWindow): Promise<void> {
  await until("it rests", () =>
    app.browser.execute(() =>
      [...document.querySelectorAll("button")].every(({ innerText }) => innerText.trim() !== "Stop"),
    ),
  );
}

// T8 to T11, G6
test("a task is planned, worked on and finished, and is there after a restart", async ({ open, folder }) => {
  let app = await open();
  await configure(app, folder, [
    COMPLEX,
    plan("Read the file", "Write the summary"),
    completes(1),
    completes(2),
    DONE,
  ]);
  await begin(app, "Read the file and write a summary");
  await app.expectRows(["Read the file", "Write the summary"]);
  await expectStatuses(app, ["completed", "completed"]);
  await expectRest(app);
  await until("the conversation shows its calls", async () => (await app.text()).includes("todo_manager"));
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
  await configure(app, folder, [
    COMPLEX,
    plan("First", "Second"),
    // It waits to be allowed: so long the run is in its middle.
    writes(join(folder.home, "first.txt")),
    completes(1),
    completes(2),
    DONE,
  ]);
  await begin(app, "Do the first and the second");
  await app.expectRows(["First", "Second"]);
  await app.named("Allow once").waitForClickable();
  await app.delete(2);
  await app.add("Third");
  await app.expectRows(["First", "Third"]);
  await app.named("Allow once").click();
  await expectStatuses(app, ["completed", "completed"]);
  await app.expectRows(["First", "Third"]);
});

// T12
test("a stop ends it at once, with what was said so far", async ({ open, folder }) => {
  const app = await open();
  await configure(app, folder, [
    SIMPLE,
    says("This answer would take a minute, and nobody has to wait for its end to come.", 5_000),
  ]);
  await begin(app, "Take your time");
  await until("it has begun to answer", async () => (await app.text()).includes("This answer"));
  await app.named("Stop").click();
  await until("it says that it was stopped", async () => (await app.text()).includes("Stopped."));
  expect(await app.text()).toContain("This answer");
});

// G3
test("a call that is allowed is made, and one that is refused is not", async ({ open, folder }) => {
  const app = await open();
  const [one, two] = [join(folder.home, "one.txt"), join(folder.home, "two.txt")];
  await configure(app, folder, [
    COMPLEX,
    plan("Write the one", "Write the other"),
    writes(one),
    completes(1),
    writes(two),
    DONE,
  ]);
  await begin(app, "Write the one and the other");
  await app.named("Allow once").waitForClickable();
  await app.expectText(one);
  expect(existsSync(one), "it is not made before").toBe(false);
  await app.named("Allow once").click();
  await app.expectText(two);
  expect(readFileSync(one, "utf8")).toBe("3");
  await app.named("Refuse").waitForClickable();
  await app.named("Refuse").click();
  await expectRest(app);
  expect(existsSync(two)).toBe(false);
  await expectStatuses(app, ["completed", "skipped"]);
});

test("a plan is worked on as it was edited", async ({ open, folder }) => {
  const app = await open();
  const path = join(folder.home, "out.txt");
  await configure(app, folder, [
    COMPLEX,
    steps({ content: "Write it", tool: WRITE }, { content: "Write it again", tool: WRITE }),
    writes(path),
    completes(1),
    DONE,
  ]);
  await begin(app, "Write it, and write it again");
  const edit = app.named("Edit step 1");
  await edit.waitForClickable();
  expect(existsSync(path)).toBe(false);
  await edit.click();
  await app.press("Control+a");
  await app.write("Write it once");
  await app.named("Skip “Write it again”").click();
  await app.expectText("1 step");
  await app.named("Begin").click();
  await app.expectRows(["Write it once", "Write it again"]);
  await expectRest(app);
  await expectStatuses(app, ["completed", "skipped"]);
  expect(readFileSync(path, "utf8")).toBe("3");
});
