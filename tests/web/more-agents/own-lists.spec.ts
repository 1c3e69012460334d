// Real agents whose own list is turned on beside ours.
import { connect } from "../agents/connect.ts";
import { Both, type Keeper, PROMPT } from "../agents/own-lists.ts";
import { call, Model } from "../agents/scripted.ts";
import { test } from "../browser/test.ts";
import { Socket } from "../parts/socket.ts";
import { AGENTS } from "./agents.ts";

for (const agent of AGENTS) {
  // D2, D5, G5
  test(`${agent.name}'s own list is under ours, and it hears of edits of it once`, async ({
    sightline,
    gateway,
  }) => {
    const { folder } = gateway;
    const model = await Model.start();
    await connect(agent.name, folder, "--own-list");
    const user = await Socket.open(gateway.runtime);
    await user.ask("events.subscribe");
    await sightline.open(gateway.page);
    const run = agent.run(folder, model, PROMPT);
    try {
      const { name, tool, keep } = agent;
      const write: Keeper["write"] = (todos) => [...agent.before, call(agent.write, { todos })];
      const both = await Both.written({ name, tool, keep, write }, model, user);
      const own = await both.shownOn(sightline);
      await both.hearsOfAddition(own, agent.other);
      await both.ends(run, folder, ["agent hook", "user page", "agent hook"]);
    } finally {
      user.close();
      await model.stop();
    }
  });
}
