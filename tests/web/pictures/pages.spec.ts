// Every page looks as it was last looked at. Fonts, clock and data are the pictures' own; what still may differ on
// another machine is how its browser draws. `cargo xtask pictures` takes them all anew: look at each that changed.
import type { Locator, Page } from "@playwright/test";
import { expect, type Scene, test } from "./test.ts";

type Look = "light" | "dark" | "narrow";
type Deed = (page: Page) => Promise<unknown>;

interface Shown {
  scenes: Scene[];
  looks: Look[];
  place: string;
  /** The first actions; at last it waits for the content of the picture. */
  first: Deed;
  size?: { width: number; height: number };
  /** The part that is in the picture, where it is not the whole page. */
  of?: (page: Page) => Locator;
}

const WIDE = { width: 1180, height: 820 };
/** As high as the page is long. */
const HIGH = { width: 1180, height: 1320 };
const STRIP = { width: 320, height: 480 };
const NARROW = { width: 390, height: 844 };
const BOTH: Look[] = ["light", "dark"];
const ALL: Look[] = [...BOTH, "narrow"];

const heading = (name: string): Deed => {
  return (page) => expect(page.getByRole("heading", { name, level: 1, exact: true })).toBeVisible();
};

const list = (name: string): Deed => {
  return (page) =>
    expect(page.getByRole("list", { name, exact: true }).getByRole("listitem").first()).toBeVisible();
};

const openSession =
  (agent: string): Deed =>
  async (page) => {
    await page
      .getByRole("main")
      .getByRole("link", { name: new RegExp(`^${agent}.*, `) })
      .first()
      .click();
    await expect(page.getByRole("list", { name: "Steps", exact: true })).toBeVisible();
  };

const openConversation =
  (project: string, rests: (page: Page) => Locator): Deed =>
  async (page) => {
    await page
      .getByRole("main")
      .getByRole("link", { name: new RegExp(`^sightline · ${project}, `) })
      .click();
    await expect(rests(page)).toBeVisible();
  };

const button =
  (name: string) =>
  (page: Page): Locator =>
    page.getByRole("button", { name, exact: true });

const dialog = (page: Page): Locator => page.getByRole("dialog");

const keys =
  (chord: string, name: string, words = ""): Deed =>
  async (page) => {
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    await page.keyboard.press(chord);
    await expect(page.getByRole("dialog", { name })).toBeVisible();
    await page.keyboard.type(words);
  };

/** A list as it was after the user's first change of it. */
const openPast: Deed = async (page) => {
  await openSession("claude · sightline")(page);
  const timeline = page.getByRole("slider", { name: "Revisions of this list", exact: true });
  await timeline.focus();
  // Each is seen, since what was seen on the way has its part in how high the page is.
  for (const [at, key] of ["Home", ...Array<string>(4).fill("ArrowRight")].entries()) {
    await page.keyboard.press(key);
    await expect(page.getByText(new RegExp(`^As of .*Revision ${at + 1} of 9$`))).toBeVisible();
  }
  // The list of the revision before is shown until this one is there.
  const steps = page.getByRole("list", { name: "Steps as they were", exact: true });
  await expect(steps.getByText("changed here", { exact: true })).toHaveCount(2);
};

const pick =
  (first: number, more: number, then: Deed): Deed =>
  async (page) => {
    await list("Lists")(page);
    await page.getByRole("main").getByRole("listitem").nth(first).locator("[data-line]").focus();
    await page.keyboard.press("x");
    for (let picked = 0; picked < more; picked += 1) await page.keyboard.press("Shift+ArrowDown");
    await expect(page.getByRole("toolbar")).toContainText(`${more + 1} selected`);
    await then(page);
  };

const openExport: Deed = async (page) => {
  await page.getByRole("button", { name: "Export", exact: true }).click();
  await expect(page.getByRole("menu")).toBeVisible();
};

const chart: Deed = async (page) => {
  const canvas = page.getByRole("img", { name: /^Steps finished on each day/ }).locator("canvas");
  const isDrawn = (): Promise<boolean> =>
    canvas.evaluate((drawn: HTMLCanvasElement) => {
      const { width, height } = drawn;
      const pixels = drawn.getContext("2d")?.getImageData(0, 0, width, height).data ?? [];
      return pixels.some((value) => value > 0);
    });
  await expect.poll(isDrawn).toBe(true);
};

/** Every permission with its details; in none has it just appeared. */
const allAsked: Deed = async (page) => {
  await expect(page.getByRole("group", { name: /^Permission: / })).toHaveCount(3);
  await expect(page.getByRole("button", { name: /^Allow: / })).toHaveCount(2);
  await expect(page.locator("[data-permission] [aria-disabled]")).toHaveCount(0);
};

/** A session's sections that are closed at first. */
const openSections: Deed = async (page) => {
  await page
    .getByRole("main")
    .getByRole("link", { name: /^codex · search, / })
    .click();
  for (const name of ["Files", "Usage"]) {
    await page.locator("summary", { hasText: new RegExp(`^\\s*${name}`) }).click();
  }
  await expect(page.getByText("1,480,000")).toBeVisible();
};

const paste: Deed = async (page) => {
  await openSession("claude · sightline")(page);
  await page.getByLabel("Add a step", { exact: true }).focus();
  await page.evaluate(() => {
    const data = new DataTransfer();
    const lines = [
      "- [ ] Write the page",
      "  - [x] Collect the examples",
      "- [ ] Check every link, also those that lead out",
    ];
    data.setData("text/plain", lines.join("\n"));
    const event = new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true });
    document.activeElement?.dispatchEvent(event);
  });
  await expect(dialog(page)).toBeVisible();
};

const rename: Deed = async (page) => {
  await openSession("claude · sightline")(page);
  await page.getByRole("button", { name: "Actions for sightline", exact: true }).click();
  await page.getByRole("menuitem", { name: "Rename…" }).click();
  await expect(dialog(page)).toBeVisible();
};

const SHOWN: Record<string, Shown[]> = {
  now: [
    { scenes: ["typical", "full"], looks: ALL, place: "#/", first: heading("Now") },
    { scenes: ["one"], looks: BOTH, place: "#/", first: heading("Now") },
    { scenes: ["odd"], looks: ["light"], place: "#/", first: heading("Now") },
  ],
  "first-run": [{ scenes: ["empty"], looks: ALL, place: "#/", first: list("Agents found") }],
  needs: [
    { scenes: ["typical"], looks: ALL, place: "#/needs", first: heading("Needs you") },
    { scenes: ["empty"], looks: BOTH, place: "#/needs", first: heading("Needs you") },
    { scenes: ["full"], looks: ["light"], place: "#/needs", first: heading("Needs you") },
    { scenes: ["asks"], looks: BOTH, place: "#/needs", first: allAsked, size: HIGH },
    {
      scenes: ["asks"],
      looks: ["narrow"],
      place: "#/needs",
      first: allAsked,
      size: { width: 390, height: 1600 },
    },
  ],
  session: [
    { scenes: ["typical"], looks: ALL, place: "#/", first: openSession("claude · sightline") },
    { scenes: ["full"], looks: ["light"], place: "#/", first: openSession("codex · accounts") },
    { scenes: ["odd"], looks: ALL, place: "#/", first: openSession("an-agent") },
  ],
  "session-sections": [
    { scenes: ["asks"], looks: ["light"], place: "#/", first: openSections, size: HIGH },
    {
      scenes: ["asks"],
      looks: ["narrow"],
      place: "#/",
      first: openSections,
      size: { width: 390, height: 1900 },
    },
  ],
  paste: [{ scenes: ["typical"], looks: ["light", "narrow"], place: "#/", first: paste, of: dialog }],
  rename: [{ scenes: ["typical"], looks: ["dark"], place: "#/", first: rename, of: dialog }],
  "new-task": [{ scenes: ["chat"], looks: ALL, place: "#/chat", first: heading("New task") }],
  conversation: [
    {
      scenes: ["chat"],
      looks: ALL,
      place: "#/",
      first: openConversation("orders", (page) => page.getByText(/tokens read/)),
    },
  ],
  approval: [
    {
      scenes: ["chat"],
      looks: ["light"],
      place: "#/",
      first: openConversation("invoices", button("Allow once")),
    },
  ],
  plan: [
    { scenes: ["chat"], looks: ["dark"], place: "#/", first: openConversation("website", button("Begin")) },
  ],
  "session-past": [{ scenes: ["typical"], looks: ALL, place: "#/", first: openPast }],
  history: [
    { scenes: ["archive"], looks: ALL, place: "#/history", first: list("Lists") },
    { scenes: ["empty"], looks: ["light"], place: "#/history", first: heading("History") },
    { scenes: ["full"], looks: ["light"], place: "#/history", first: list("Lists") },
  ],
  "history-found": [{ scenes: ["archive"], looks: BOTH, place: "#/history?q=parser", first: list("Lists") }],
  "history-picked": [
    { scenes: ["archive"], looks: ["light", "narrow"], place: "#/history", first: pick(1, 2, openExport) },
  ],
  "history-deleted": [
    { scenes: ["archive"], looks: ALL, place: "#/history?deleted", first: pick(0, 1, list("Lists")) },
  ],
  insight: [
    { scenes: ["archive"], looks: ALL, place: "#/history/insight", first: chart },
    { scenes: ["empty"], looks: ["light"], place: "#/history/insight", first: heading("Insight") },
  ],
  agents: [
    { scenes: ["typical"], looks: ALL, place: "#/agents", first: list("Agents") },
    { scenes: ["empty"], looks: ["light"], place: "#/agents", first: list("Agents") },
  ],
  settings: [
    { scenes: ["typical"], looks: BOTH, place: "#/settings", first: heading("Settings"), size: HIGH },
    { scenes: ["typical"], looks: ["narrow"], place: "#/settings", first: heading("Settings") },
  ],
  compact: [
    {
      scenes: ["typical"],
      looks: BOTH,
      place: "#/compact",
      first: async (page) => expect(page.getByRole("link").first()).toBeVisible(),
      size: STRIP,
    },
  ],
  palette: [
    {
      scenes: ["typical"],
      looks: ALL,
      place: "#/",
      first: keys("Control+k", "Command palette", "pars"),
    },
  ],
  keys: [{ scenes: ["typical"], looks: BOTH, place: "#/", first: keys("?", "Keyboard"), of: dialog }],
};

for (const look of ALL) {
  test.describe(look, () => {
    test.use({
      viewport: look === "narrow" ? NARROW : WIDE,
      colorScheme: look === "dark" ? "dark" : "light",
    });
    for (const [name, kinds] of Object.entries(SHOWN)) {
      for (const { scenes, looks, place, first, size, of } of kinds) {
        if (!looks.includes(look)) continue;
        for (const scene of scenes) {
          test(`${name}, ${scene}`, async ({ page, demos }) => {
            if (size) await page.setViewportSize(size);
            const demo = await demos.of(scene);
            const { trouble } = await demo.show(page, place);
            await first(page);
            await demo.still(page);
            const picture = `${name}-${scene}-${look}.png`;
            if (of) await expect(of(page)).toHaveScreenshot(picture);
            else await expect(page).toHaveScreenshot(picture);
            expect(trouble, "the page reports no errors").toEqual([]);
          });
        }
      }
    }
  });
}
