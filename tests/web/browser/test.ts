import { Agent } from "../parts/agent.ts";
import { STORY } from "../parts/story.ts";
import { Socket } from "../parts/socket.ts";
import { expect, test as base } from "../parts/test.ts";
import { SightlinePage } from "./page.ts";

export const test = base.extend<{
  sightline: SightlinePage;
  agent: Agent;
  /** The user, by another way than the page. */
  socket: Socket;
  /** The page, at the session whose agent has just written the story's list. */
  story: SightlinePage;
}>({
  // The page goes before its gateway, so that what it still fetches is no trouble.
  sightline: async ({ page, gateway: _before }, use) => {
    const sightline = new SightlinePage(page);
    await use(sightline);
    expect(sightline.trouble, "the page reports no errors").toEqual([]);
  },
  agent: async ({ gateway }, use) => {
    const agent = await Agent.connect(gateway.runtime);
    await use(agent);
    await agent.close();
  },
  socket: async ({ gateway }, use) => {
    const socket = await Socket.open(gateway.runtime);
    await use(socket);
    socket.close();
  },
  story: async ({ sightline, gateway, agent }, use) => {
    await agent.write(STORY);
    await sightline.open(gateway.page);
    await sightline.openSession("playwright-agent");
    await use(sightline);
  },
});

export { expect };
