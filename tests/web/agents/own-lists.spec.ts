// Real agents that keep a list of their own beside ours: one has hooks, the other a plugin of ours.
import { test } from "../browser/test.ts";
import { Socket } from "../parts/socket.ts";
import { connect } from "./connect.ts";
import { Gemini } from "./gemini.ts";
import { project, run } from "./opencode.ts";
import { Both, type Keeper, PROMPT } from "./own-lists.ts";
import { call, Model } from "./scripted.ts";

const GEMINI: Keeper = {
  name: "gemini",
  tool: "write_todos",
  keep: (todos) => [
    call("write_todos", { todos: todos.map(({ content, status }) => ({ description: content, status })) }),
  ],
  write: (todos) => [call("mcp_sightline_todo_write", { todos })],
};

const OPENCODE: Keeper = {
  name: "opencode",
  tool: "todowrite",
  keep: (todos) => [
    call("todowrite", {
      todos: todos.map(({ content, status }) => ({ content, status, priority: "medium" })),
    }),
  ],
  write: (todos) => [call("sightline_todo_write", { todos })],
};

test.use({
  launchOptions: { executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] },
});

// D2, D5, G5
test("gemini's own list is under ours, and gemini hears of edits of it once", async ({
  sightline,
  gateway,
}) => {
  const model = await Model.start();
  const gemini = await Gemini.connected(gateway, model);
  const user = await Socket.open(gateway.runtime);
  await user.ask("events.subscribe");
  await sightline.open(gateway.page);
  const agent = gemini.run(PROMPT);
  try {
    const both = await Both.written(GEMINI, model, user);
    const own = await both.shownOn(sightline);
    await both.hearsOfAddition(own, call("list_directory", { dir_path: "." }));
    await both.ends(agent, gateway.folder, "hook");
  } finally {
    user.close();
    await model.stop();
  }
});

// D2, G5
test("opencode's own list is under ours, and opencode hears of edits of it once", async ({
  sightline,
  gateway,
}) => {
  const { folder } = gateway;
  const model = await Model.start();
  await connect("opencode", folder);
  const user = await Socket.open(gateway.runtime);
  await user.ask("events.subscribe");
  await sightline.open(gateway.page);
  const agent = run(folder, project(folder, model), PROMPT);
  try {
    const both = await Both.written(OPENCODE, model, user);
    const own = await both.shownOn(sightline);
    await both.hearsOfAddition(own, call("list", { path: "." }));
    await both.ends(agent, folder, "hook");
  } finally {
    user.close();
    await model.stop();
  }
});
