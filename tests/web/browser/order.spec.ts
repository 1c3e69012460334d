// Twelve sessions on every width: nothing is cut off or has to be scrolled sideways; tags, filters, and two panes.
import { Agent } from "../parts/agent.ts";
import { STORY } from "../parts/story.ts";
import { findings } from "./findings.ts";
import { expect, test } from "./test.ts";

test.use({ contextOptions: { reducedMotion: "reduce" } });

test("many sessions fit every screen, are tagged, filtered, and stand beside the open one", async ({
  sightline,
  gateway,
  page,
}) => {
  const agents = [];
  for (let at = 0; at < 12; at += 1) {
    const agent = await Agent.connect(gateway.runtime, `agent-${at}`);
    await agent.write(STORY);
    agents.push(agent);
  }
  await sightline.open(gateway.page);
  await expect(sightline.card("agent-11")).toBeVisible();
  const isWide = () =>
    page.evaluate(() =>
      [document.documentElement, ...document.querySelectorAll(".page")].some(
        (each) => each.scrollWidth > each.clientWidth,
      ),
    );
  for (const width of [390, 720, 900, 1280, 1600, 2560]) {
    await page.setViewportSize({ width, height: 900 });
    expect(await isWide(), `${width} px`).toBe(false);
  }
  await page.setViewportSize({ width: 1600, height: 900 });
  expect(await findings(page)).toEqual([]);

  // The board stays beside the session that is opened from it.
  await sightline.card("agent-3").click();
  const tags = page.getByRole("group", { name: "Tags" });
  await tags.getByRole("button", { name: "Add tag" }).click();
  await page.keyboard.type("Release urgent\n");
  await expect(tags.getByRole("link", { name: "Show sessions with tag urgent" })).toBeVisible();
  await expect(sightline.card("agent-4")).toBeVisible();
  expect(await isWide()).toBe(false);
  expect(await findings(page)).toEqual([]);
  await page.getByRole("button", { name: "Board beside session" }).click();
  await expect(sightline.card("agent-4")).toBeHidden();
  await page.reload();
  await expect(page.getByRole("button", { name: "Board beside session" })).toHaveAttribute(
    "aria-pressed",
    "false",
  );

  await tags.getByRole("link", { name: "Show sessions with tag release" }).click();
  await expect(sightline.card("agent-3")).toBeVisible();
  await expect(sightline.card("agent-4")).toBeHidden();
  await page.reload();
  await expect(sightline.card("agent-3"), "the filter stands in the address").toBeVisible();
  await expect(sightline.card("agent-4")).toBeHidden();
  await page.getByLabel("Search sessions").fill("nothing of the kind");
  await page.getByRole("link", { name: "Show all sessions" }).click();
  await expect(sightline.card("agent-4")).toBeVisible();
  await Promise.all(agents.map((agent) => agent.close()));
});
