import { Agent } from "../parts/agent.ts";
import { expect, test as base } from "../parts/test.ts";
import { SightlinePage } from "./page.ts";

export const test = base.extend<{ sightline: SightlinePage; agent: Agent }>({
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
});

export { expect };
