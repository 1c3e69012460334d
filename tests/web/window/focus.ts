// The means of somebody who works with the keyboard alone: the focus, as it is announced, and Tab.
import { until } from "../parts/process.ts";
import type { AppWindow } from "./app.ts";

export interface Announced {
  name: string;
  role: string;
}

/** More stops than any page of these tests has. */
const MANY = 80;

/** The element that has the focus; nothing while it is lost, or is being painted anew. */
export async function focused(app: AppWindow): Promise<Announced | undefined> {
  const { browser } = app;
  try {
    if (await isLost(app)) return undefined;
    const [id] = Object.values(await browser.getActiveElement()) as [string];
    return {
      name: await browser.getElementComputedLabel(id),
      role: await browser.getElementComputedRole(id),
    };
  } catch {
    return undefined;
  }
}

async function isLost(app: AppWindow): Promise<boolean> {
  return app.browser.execute(() => {
    const at = document.activeElement;
    return !at || at === document.body || at === document.documentElement;
  });
}

function is({ name }: Announced, wanted: string | RegExp): boolean {
  return typeof wanted === "string" ? name === wanted : wanted.test(name);
}

/** Waits until the focus is on something of that name. */
export async function expectFocusOn(app: AppWindow, name: string | RegExp, role?: string): Promise<void> {
  let seen: Announced | undefined;
  await until(
    `the focus is on ${name}`,
    async () => {
      seen = await focused(app);
      return seen !== undefined && is(seen, name) && (role === undefined || seen.role === role);
    },
    20,
  ).catch((error: Error) => {
    throw new Error(`${error.message}; it is on ${seen ? `${seen.name} (${seen.role})` : "nothing"}`);
  });
}

/** Waits until the focus is on anything at all that is no more than the page itself. */
export async function expectFocusKept(app: AppWindow, after: string): Promise<void> {
  await until(`the focus is on something after ${after}`, async () => !(await isLost(app)), 5);
}

/** Goes there with Tab, or with Shift and Tab. */
export async function tabTo(
  app: AppWindow,
  name: string | RegExp,
  key: "Tab" | "Shift+Tab" = "Tab",
): Promise<void> {
  const passed: string[] = [];
  for (let stop = 0; stop < MANY; stop++) {
    await app.press(key);
    const at = await focused(app);
    if (at && is(at, name)) return;
    passed.push(at?.name ?? "nothing");
  }
  throw new Error(`${key} does not lead to ${name}, but to ${JSON.stringify(passed)}`);
}

/** Waits until the page is at an address. */
export async function expectAt(app: AppWindow, wanted: string | RegExp): Promise<void> {
  let at = "";
  await until(
    `the page is at ${wanted}`,
    async () => {
      at = await app.browser.execute(() => location.hash);
      return typeof wanted === "string" ? at === wanted : wanted.test(at);
    },
    20,
  ).catch((error: Error) => {
    throw new Error(`${error.message}; it is at ${at}`);
  });
}

/** The words of what a selector finds, in order, as they are seen. */
export async function wordsOf(app: AppWindow, selector: string): Promise<string[]> {
  return app.browser.execute(
    (found) => [...document.querySelectorAll<HTMLElement>(found)].map((each) => each.innerText),
    selector,
  );
}

/** Waits until what a selector finds says this, each in its turn. */
export async function expectWords(app: AppWindow, selector: string, wanted: string[]): Promise<void> {
  let seen: string[] = [];
  await until(
    `${selector} say these`,
    async () => {
      seen = await wordsOf(app, selector);
      return seen.length === wanted.length && wanted.every((words, at) => seen[at]?.includes(words));
    },
    20,
  ).catch((error: Error) => {
    throw new Error(`${error.message}: ${JSON.stringify(wanted)}; they say ${JSON.stringify(seen)}`);
  });
}
