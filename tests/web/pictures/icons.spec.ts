// Draws the page's icons from the project's own: `cargo xtask pictures --readme`.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "@playwright/test";

const ROOT = resolve(import.meta.dirname, "../../..");
const ROUNDED = readFileSync(resolve(ROOT, "src-tauri/icons/icon.svg"), "utf8");
/** To its edges, for systems that cut a shape of their own out of it. */
const WHOLE = ROUNDED.replace(/<rect [^>]*fill/, '<rect width="512" height="512" fill');

const ICONS = [
  { name: "icon-192", side: 192, drawing: ROUNDED },
  { name: "icon-512", side: 512, drawing: ROUNDED },
  { name: "icon-maskable-512", side: 512, drawing: WHOLE },
  { name: "apple-touch-icon", side: 180, drawing: WHOLE },
];

for (const { name, side, drawing } of ICONS) {
  test(name, async ({ page }) => {
    expect(WHOLE).not.toBe(ROUNDED);
    await page.setViewportSize({ width: side, height: side });
    await page.setContent(
      `<style>body { margin: 0 } svg { display: block; width: ${side}px }</style>${drawing}`,
    );
    await page.screenshot({ path: resolve(ROOT, `ui/public/${name}.png`), omitBackground: true });
  });
}
