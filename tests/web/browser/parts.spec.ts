// What the page fetches before it shows anything, and what comes later.
import { STORY } from "../parts/story.ts";
import { expect, test } from "./test.ts";

/** Bytes of script, the texts of one language with them, that are fetched before the first page is shown. */
const FIRST = 233_000;

/** A file of the page's, and all that it imports at once, by their names. */
async function imported(read: (name: string) => Promise<string>, name: string): Promise<Map<string, number>> {
  const sizes = new Map<string, number>();
  const take = async (file: string): Promise<void> => {
    if (sizes.has(file)) return;
    sizes.set(file, 0);
    const text = await read(file);
    sizes.set(file, text.length);
    const files = [...text.matchAll(/(?:from|import)\s*["']\.\/([\w.-]+\.js)["']/g)].map(
      ([, found]) => found ?? "",
    );
    await Promise.all(files.map(take));
  };
  await take(name);
  return sizes;
}

test("the first page needs a part of the script only; the rest comes when there is nothing to do", async ({
  sightline,
  gateway,
  agent,
}) => {
  await agent.write(STORY);
  const asked: string[] = [];
  const { page } = sightline;
  page.on("request", (request) => asked.push(new URL(request.url()).pathname.split("/").at(-1) ?? ""));
  await sightline.open(gateway.page);
  await expect(page.getByText("Fixing the parser").first()).toBeVisible();
  const named = (begins: string) =>
    asked.find((name) => name.startsWith(`${begins}-`) && name.endsWith(".js")) ?? "";
  const read = async (name: string) =>
    (await page.request.get(new URL(`/assets/${name}`, page.url()).href)).text();
  const first = await imported(read, named("main"));
  const texts = await read(named("en"));
  const bytes = [...first.values(), texts.length].reduce((sum, size) => sum + size, 0);
  expect(bytes, "all of it is found").toBeGreaterThan(150_000);
  expect(bytes, [...first.keys()].join(" ")).toBeLessThan(FIRST);
  await expect.poll(() => named("SettingsPage"), "it is fetched before anybody goes there").not.toBe("");
});

test("what is painted first waits for no script but that which fetches the rest", async ({
  page,
  gateway,
}) => {
  const html = await (await page.request.get(new URL("/", gateway.page).href)).text();
  const scripts = [...html.matchAll(/(?:src|href)="(\/assets\/[\w.-]+\.js)"/g)].map(([, path]) => path ?? "");
  const read = async (path: string) => (await page.request.get(new URL(path, gateway.page).href)).text();
  const sizes = await Promise.all(scripts.map(async (path) => (await read(path)).length));
  expect(scripts.length).toBeGreaterThan(0);
  expect(
    sizes.reduce((sum, size) => sum + size, 0),
    scripts.join(" "),
  ).toBeLessThan(4_000);
});

test("a key that is struck before its code is here does what it is for once it is", async ({
  sightline,
  gateway,
  agent,
}) => {
  await agent.write(STORY);
  const { page } = sightline;
  let release = (): void => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  let isAsked = false;
  await page.route(/\/editing\.svelte-.*\.js$/, async (route) => {
    isAsked = true;
    await held;
    await route.continue();
  });
  await sightline.open(gateway.page);
  await expect(page.getByText("Fixing the parser").first()).toBeVisible();
  await page.keyboard.press("ControlOrMeta+z");
  await expect.poll(() => isAsked).toBe(true);
  release();
  await expect(page.getByText("Nothing of yours to undo here.").first()).toBeVisible();
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
