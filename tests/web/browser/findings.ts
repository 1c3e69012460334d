import type { Page } from "@playwright/test";
import axe from "axe-core";

/** The problems that axe finds with the page as it is now. */
export async function findings(page: Page): Promise<string[]> {
  // Movement would be judged half-way.
  await page.evaluate(() =>
    Promise.all(document.getAnimations().map((animation) => animation.finished.catch(() => undefined))),
  );
  await page.evaluate(axe.source);
  const results = await page.evaluate(() =>
    (window as unknown as { axe: typeof axe }).axe.run(document, { resultTypes: ["violations"] }),
  );
  return results.violations.flatMap((violation) =>
    violation.nodes.map((node) => `${violation.id}: ${violation.help}: ${node.html} ${node.failureSummary}`),
  );
}
