// The page of settings.
import { until } from "../parts/process.ts";
import type { AppWindow } from "./app.ts";
import { expectFocusOn } from "./focus.ts";

export async function toSettings(app: AppWindow): Promise<void> {
  await app.expectText("Or watch a demo");
  await app.press("g s");
  await app.expectText("Stale after");
  await expectFocusOn(app, "Settings", "heading");
}

/** The words of what is wrong. */
export async function alerts(app: AppWindow): Promise<string[]> {
  return app.browser.execute(() =>
    [...document.querySelectorAll<HTMLElement>("main [role=alert]")].map((each) => each.innerText),
  );
}

/** Waits until that is said to be wrong, or nothing. */
export async function expectAlert(app: AppWindow, words: string | undefined): Promise<void> {
  let seen: string[] = [];
  await until(`it is said: ${words ?? "nothing"}`, async () => {
    seen = await alerts(app);
    return words === undefined ? seen.length === 0 : seen.some((each) => each.includes(words));
  }).catch((error: Error) => {
    throw new Error(`${error.message}; it is said ${JSON.stringify(seen)}`);
  });
}
