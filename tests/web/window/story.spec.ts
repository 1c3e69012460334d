// From an agent's `todo_write` to a row in the desktop window, and back, through the built app.
import { Agent, asSent, contents } from "../parts/agent.ts";
import { DataFolder, Gateway } from "../parts/gateway.ts";
import { until } from "../parts/process.ts";
import { Socket } from "../parts/socket.ts";
import { MARKUP, NEXT, STORY } from "../parts/story.ts";
import { expect, test } from "./test.ts";

// D1, D2, D3, D4, D5
test("the app hosts the gateway: an agent's list, the user's edits, and all of it after a restart", async ({
  open,
  folder,
}) => {
  let app = await open();
  let agent = await Agent.connect(await folder.gateway(), "window-agent");
  await agent.write(STORY);
  const card = app.card("window-agent");
  await card.waitForExist();
  await app.openSession("window-agent");

  await app.expectRows(["Read the format page", "Fixing the parser", "Add the tests"]);
  expect((await app.rows()).map(({ status }) => status)).toEqual(["completed", "in_progress", "pending"]);
  // A row that is pointed at has its buttons there.
  await app.browser.$("h1").moveTo();
  expect(await app.row(2).$("time").getText()).toMatch(/^\d+ (s|min)$/);
  await app.expectText("1/3");
  expect(await app.browser.$('[role="progressbar"]').getAttribute("aria-valuenow")).toMatch(
    /^(1|33(\.\d+)?|0\.33\d*)$/,
  );

  await app.add("Ask the customer");
  await app.insert(2, "Look at the recordings");
  await app.expectRows([
    "Read the format page",
    "Look at the recordings",
    "Fixing the parser",
    "Add the tests",
    "Ask the customer",
  ]);
  await app.delete(4);
  await app.expectRows([
    "Read the format page",
    "Look at the recordings",
    "Fixing the parser",
    "Ask the customer",
  ]);

  const told = await agent.write(STORY);
  const kept = ["Read the format page", "Look at the recordings", "Fix the parser", "Ask the customer"];
  expect(contents(told.todos)).toEqual(kept);
  expect(told.userChanges).toHaveLength(3);
  for (const words of ["Look at the recordings", "Ask the customer", "Add the tests"]) {
    expect(told.text).toContain(words);
  }
  expect((await agent.write(asSent(told.todos))).userChanges, "told once").toEqual([]);

  await app.clear();
  await app.expectRows([]);
  await app.undo();
  await app.expectRows([
    "Read the format page",
    "Look at the recordings",
    "Fixing the parser",
    "Ask the customer",
  ]);
  await app.clear();
  await app.expectRows([]);
  const cleared = await agent.read();
  expect(cleared.todos).toEqual([]);
  expect(cleared.userChanges).not.toEqual([]);
  await app.undo();
  await app.expectRows([
    "Read the format page",
    "Look at the recordings",
    "Fixing the parser",
    "Ask the customer",
  ]);
  await agent.close();

  await app.close();
  await until("the gateway goes with its window", () => !folder.runtime);
  app = await open();
  await app.openSession("window-agent");
  await app.expectRows([
    "Read the format page",
    "Look at the recordings",
    "Fixing the parser",
    "Ask the customer",
  ]);
  agent = await Agent.connect(await folder.gateway(), "window-agent", "after-the-restart");
  await agent.write(STORY);
  await app.browser.execute(() => (location.hash = "#/"));
  await until(
    "both sessions are there",
    async () => (await app.browser.$$('main a[aria-label^="window-agent · "]').length) === 2,
  );
  await agent.close();
});

// D2: the window attaches to what runs already.
test("the app attaches to a gateway that runs on its data folder", async ({ open, folder }) => {
  const gateway = await new Gateway(folder).start();
  const { pid, port } = gateway.runtime;
  const app = await open();
  const agent = await Agent.connect(gateway.runtime, "window-agent");
  const written = await agent.write(STORY);
  await app.openSession("window-agent");
  await app.expectRows(["Read the format page", "Fixing the parser", "Add the tests"]);
  expect(folder.runtime?.pid, "the gateway is the one that ran already").toBe(pid);

  await app.add("Ask the customer");
  await app.expectRows(["Read the format page", "Fixing the parser", "Add the tests", "Ask the customer"]);
  const socket = await Socket.open(gateway.runtime);
  const known = await socket.ask("session.get", { sessionId: written.sessionId });
  expect(contents(known["todos"] as { content: string }[])).toContain("Ask the customer");
  socket.close();

  await gateway.stop();
  await until("the window says that it lost it", () =>
    app.browser.execute(() => document.querySelector('[role="status"][data-state="reconnecting"]') !== null),
  );
  await gateway.start(port);
  await agent.write(NEXT);
  await app.expectRows(["Read the format page", "Fix the parser", "Adding the tests", "Ask the customer"]);

  await agent.close();
  await app.close();
  expect(folder.runtime?.pid, "the gateway stays when the window goes").toBe(gateway.runtime.pid);
});

// D2: the window is pointed at any other gateway.
test("the app shows another gateway by its address", async ({ open, folder }) => {
  const elsewhere = new DataFolder();
  try {
    const gateway = await new Gateway(elsewhere).start();
    const app = await open({
      SIGHTLINE_GATEWAY: `ws://127.0.0.1:${gateway.runtime.port}/gateway?token=${elsewhere.keys.strong ?? ""}`,
    });
    const agent = await Agent.connect(gateway.runtime, "window-agent");
    await agent.write(STORY);
    await app.openSession("window-agent");
    await app.expectRows(["Read the format page", "Fixing the parser", "Add the tests"]);
    await app.delete(3);
    await app.expectRows(["Read the format page", "Fixing the parser"]);
    expect(contents((await agent.read()).todos)).toEqual(["Read the format page", "Fix the parser"]);
    expect(folder.runtime, "it hosts none itself").toBeUndefined();
    await agent.close();
    await app.close();
  } finally {
    await elsewhere.remove();
  }
});

// D4
test("what an agent writes is shown as text in the window", async ({ open, folder }) => {
  const app = await open();
  const agent = await Agent.connect(await folder.gateway(), "window-agent");
  await agent.write([{ content: MARKUP, status: "in_progress", activeForm: MARKUP }]);
  await app.openSession("window-agent");
  await app.expectRows([MARKUP]);
  const ran = await app.browser.execute(
    () => "owned" in window || document.querySelector('[aria-label="Steps"] :is(img, script, b)') !== null,
  );
  expect(ran).toBe(false);
  await agent.close();
});
