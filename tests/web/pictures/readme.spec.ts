// Takes the README's pictures, from the demo: `cargo xtask pictures --readme`.
import { statSync } from "node:fs";
import { resolve } from "node:path";
import type { Page } from "@playwright/test";
import { expect, type Scene, test } from "./test.ts";

const FOLDER = resolve(import.meta.dirname, "../../../docs/pictures");

interface Taken {
  name: string;
  place: string;
  scene?: Scene;
  first?: (page: Page) => Promise<unknown>;
  look?: "light" | "dark";
  size?: { width: number; height: number };
}

const TAKEN: Taken[] = [
  { name: "now-light", place: "#/", size: { width: 1180, height: 640 } },
  { name: "now-dark", place: "#/", look: "dark", size: { width: 1180, height: 640 } },
  {
    name: "session",
    place: "#/",
    first: (page) =>
      page
        .getByRole("main")
        .getByRole("link", { name: /^claude · sightline, / })
        .click(),
  },
  {
    name: "conversation",
    scene: "chat",
    place: "#/",
    first: async (page) => {
      await page
        .getByRole("main")
        .getByRole("link", { name: /^sightline · orders, / })
        .click();
      await expect(page.getByText(/tokens read/)).toBeVisible();
    },
  },
  { name: "needs", place: "#/needs", size: { width: 1180, height: 600 } },
  { name: "history", scene: "archive", place: "#/history", size: { width: 1180, height: 640 } },
  { name: "agents", place: "#/agents", size: { width: 1180, height: 600 } },
  { name: "compact", place: "#/compact", size: { width: 320, height: 300 } },
];

// Sharp where a picture is shown smaller than it is.
test.use({ deviceScaleFactor: 1.5, viewport: { width: 1180, height: 820 } });

for (const { name, place, scene = "typical", first, look = "light", size } of TAKEN) {
  test(name, async ({ page, demos }) => {
    await page.emulateMedia({ colorScheme: look, reducedMotion: "reduce" });
    if (size) await page.setViewportSize(size);
    const demo = await demos.of(scene);
    await demo.show(page, place);
    await expect(page.getByRole("main").getByRole("listitem").first()).toBeVisible();
    await first?.(page);
    if (first) await expect(page.getByRole("list", { name: "Steps", exact: true })).toBeVisible();
    await demo.still(page);
    const path = resolve(FOLDER, `${name}.png`);
    await page.screenshot({ path, animations: "disabled", caret: "hide" });
    expect(statSync(path).size, "a page with all of them loads quickly").toBeLessThan(300_000);
  });
}
