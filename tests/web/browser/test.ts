import { Agent } from "../parts/agent.ts";
import { STORY } from "../parts/story.ts";
import { expect, test as base } from "../parts/test.ts";
import { SightlinePage } from "./page.ts";

export const test = base.extend<{
  sightline: SightlinePage;
  agent: Agent;
  /** The page, at the session whose agent has just written the story's list. */
  story: SightlinePage;
}>({
  sightline: async ({ page }, use) => {
    const sightline = new SightlinePage(page);
    await use(sightline);
    expect(sightline.trouble, "the page reports no errors").toEqual([]);
  },
  agent: async ({ gateway }, use) => {
    const agent = await Agent.connect(gateway.runtime);
    await use(agent);
    await agent.close();
  },
  story: async ({ sightline, gateway, agent }, use) => {
    await agent.write(STORY);
    await sightline.open(gateway.page);
    await sightline.openSession("playwright-agent");
    await use(sightline);
  },
});

export { expect };
