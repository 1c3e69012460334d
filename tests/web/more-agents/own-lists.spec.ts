// Real agents whose own list is turned on beside ours.
import { Both, type Keeper, PROMPT } from "../agents/own-lists.ts";
import { Model } from "../agents/scripted.ts";
import { Socket } from "../parts/socket.ts";
import { AGENTS } from "./agents/index.ts";
import { connected } from "./run.ts";
import { start } from "./started.ts";
import { test } from "./test.ts";

for (const agent of AGENTS) {
  if (!agent.builtIn) continue;
  const { tool, keep, hasSwitch, comesBy, isEditable } = agent.builtIn;
  const hears = isEditable ? "it hears of edits of it once" : "it cannot be changed";
  // D2, D5, G5
  test(`${agent.name}'s own list is under ours, and ${hears}`, async ({ sightline, gateway, proves }) => {
    proves(agent, "built-in list");
    if (isEditable) proves(agent, "built-in list is editable");
    const { folder } = gateway;
    const model = await Model.start();
    await connected(agent, gateway, model, "stdio", ...(hasSwitch ? ["--own-list"] : []));
    const user = await Socket.open(gateway.runtime);
    await user.ask("events.subscribe");
    await sightline.open(gateway.page);
    const run = start(agent, folder, model, PROMPT);
    try {
      const { name } = agent;
      const write: Keeper["write"] = (todos) => [...agent.before, agent.write({ todos })];
      const both = await Both.written({ name, tool, keep, write }, model, user);
      const own = await both.shownOn(sightline);
      if (isEditable) await both.hearsOfAddition(own, agent.other);
      else await both.takesNone(own, `Edits can’t reach ${agent.title} here.`);
      await both.ends(run, folder, comesBy);
    } finally {
      user.close();
      await model.stop();
      await agent.after?.(folder);
    }
  });
}
