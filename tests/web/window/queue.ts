// The page of what needs the user.
import type { AppWindow } from "./app.ts";
import { expectAt, expectWords } from "./focus.ts";

/** But for those of agents whose lists are off, which have a walk of their own. */
const ENTRIES = '[data-need]:not([data-settled], [data-need^="toolOff"])';

/** Goes to the page once the card of whoever comes last is there. */
export async function toQueue(app: AppWindow, last: string): Promise<void> {
  await app.card(last).waitForExist();
  await app.press("g e");
  await expectAt(app, "#/needs");
}

/** Waits until it has these entries, in order. */
export async function queue(app: AppWindow, wanted: string[]): Promise<void> {
  await expectWords(app, ENTRIES, wanted);
}
