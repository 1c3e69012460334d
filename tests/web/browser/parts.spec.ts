// What the page fetches before it shows anything, and what comes later.
import { STORY } from "../parts/story.ts";
import { expect, test } from "./test.ts";

/** Bytes of script, the texts of one language with them, that may be fetched before the first page is shown. */
const FIRST = 310_000;

test("the first page needs a part of the script only; the rest comes when there is nothing to do", async ({
  sightline,
  gateway,
  agent,
}) => {
  await agent.write(STORY);
  let bytes = 0;
  const bodies: Promise<void>[] = [];
  sightline.page.on("response", (response) => {
    if (!new URL(response.url()).pathname.endsWith(".js")) return;
    bodies.push(response.body().then((body) => void (bytes += body.length)));
  });
  // There is always something to do here, so nothing comes before it is wanted.
  await sightline.page.addInitScript(() => Object.assign(window, { requestIdleCallback: () => 0 }));
  await sightline.open(gateway.page);
  await expect(sightline.page.getByText("Fixing the parser").first()).toBeVisible();
  await Promise.all(bodies);
  const first = bytes;
  expect(first).toBeLessThan(FIRST);
  await sightline.page.goto(new URL("#/settings", sightline.page.url()).href);
  await expect(sightline.page.getByRole("heading", { name: "Settings", level: 1 })).toBeVisible();
  await Promise.all(bodies);
  expect(bytes).toBeGreaterThan(first);
});

test("a part that cannot be fetched says so, and comes when it is asked for again", async ({
  page,
  gateway,
}) => {
  let isGone = true;
  await page.route(/\/SettingsPage-.*\.js$/, (route) => (isGone ? route.abort() : route.continue()));
  await page.goto(gateway.page);
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await page.getByRole("link", { name: "Settings" }).click();
  const again = page.getByRole("button", { name: "Load again" });
  await expect(again).toBeVisible();
  isGone = false;
  await again.click();
  await expect(page.getByRole("heading", { name: "Settings", level: 1 })).toBeVisible();
});
