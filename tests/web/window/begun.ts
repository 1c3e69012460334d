// The beginnings of the walks by key.
import { Agent } from "../parts/agent.ts";
import type { DataFolder } from "../parts/gateway.ts";
import { STORY } from "../parts/story.ts";
import type { AppWindow } from "./app.ts";

/** On the board, with two agents that have written. */
export async function beginWithTwo(app: AppWindow, folder: DataFolder): Promise<Agent[]> {
  const runtime = await folder.gateway();
  const [first, second] = [await Agent.connect(runtime, "first"), await Agent.connect(runtime, "second")];
  await first.write(STORY);
  await second.write([
    { content: "Draw the plan", status: "completed" },
    { content: "Polish the lens", status: "in_progress" },
    { content: "Wrap it up", status: "pending" },
  ]);
  await app.card("second").waitForExist();
  return [first, second];
}

/** At the last step of a list that an agent has written. */
export async function beginAtStep(app: AppWindow, folder: DataFolder): Promise<Agent> {
  const agent = await Agent.connect(await folder.gateway(), "window-agent");
  await agent.write(STORY);
  await app.card("window-agent").waitForExist();
  await app.press("]");
  await app.named("Add a step").waitForExist();
  await app.press("ArrowDown", "End");
  await app.expectFocus("3");
  return agent;
}
