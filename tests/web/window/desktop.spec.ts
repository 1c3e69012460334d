// The parts of a desktop beside the window: tray, notifications, keys for everywhere, start at login, small window.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Agent } from "../parts/agent.ts";
import { Run } from "../parts/codex-run.ts";
import { DESKTOP, type DataFolder, SIGHTLINE } from "../parts/gateway.ts";
import { until } from "../parts/process.ts";
import { Socket } from "../parts/socket.ts";
import { NEXT, STORY } from "../parts/story.ts";
import type { AppWindow } from "./app.ts";
import { appWindow, expectWindow, focusWindow, onScreen, type OnScreen, pressKeys } from "./screen.ts";
import { pressCloseButton } from "./close-button.ts";
import { expect, test } from "./shell-test.ts";

/** The address of the page in the window. */
async function route(app: AppWindow): Promise<string> {
  return app.browser.execute(() => location.hash);
}

async function expectRoute(app: AppWindow, wanted: string | RegExp): Promise<void> {
  await until(`the page is at ${wanted}`, async () => {
    const at = await route(app);
    return typeof wanted === "string" ? at === wanted : wanted.test(at);
  });
}

async function giveKeyboard(app: AppWindow): Promise<void> {
  await until("the window has the keyboard", async () => {
    await focusWindow();
    return app.browser.execute(() => document.hasFocus());
  });
}

async function set(folder: DataFolder, settings: Record<string, unknown>): Promise<void> {
  const socket = await Socket.open(await folder.gateway());
  await socket.ask("settings.update", settings);
  socket.close();
}

interface Wish {
  state: "off" | "on" | "refused";
  message?: string;
}
interface Info {
  tray: boolean;
  staysInTray: boolean;
  shortcut: Wish;
  startAtLogin: Wish;
  compact: boolean;
  zoom: number;
  menuBar: boolean;
}

async function expectInfo(app: AppWindow, what: string, is: (info: Info) => boolean): Promise<void> {
  let seen: unknown;
  await until(
    `the shell says ${what}`,
    async () => is((seen = await app.command("shell_info")) as Info),
    20,
  ).catch((error: Error) => {
    throw new Error(`${error.message}; it says ${JSON.stringify(seen)}`);
  });
}

/** `HH:MM` of so many minutes from now, by the clock on the wall. */
function clock(minutes: number): string {
  const time = new Date(Date.now() + minutes * 60_000);
  return [time.getHours(), time.getMinutes()].map((part) => String(part).padStart(2, "0")).join(":");
}

test("the tray says how far all work is, what is being done and what needs the user", async ({
  open,
  folder,
  tray,
}) => {
  const app = await open();
  const runtime = await folder.gateway();
  await tray.expectTooltip("Nothing is running");
  const idle = await tray.pixels();
  expect([idle.width, idle.height]).toEqual([64, 64]);

  const agent = await Agent.connect(runtime, "window-agent");
  const { sessionId } = await agent.write(STORY);
  await tray.expectTooltip("1 of 1 working");
  await tray.expectEntry("1/3 · Fixing the parser");
  const third = await tray.pixels();
  expect(third.bytes.equals(idle.bytes), "the ring is drawn anew").toBe(false);
  await agent.write(NEXT);
  await tray.expectEntry("2/3 · Adding the tests");
  expect((await tray.pixels()).bytes.equals(third.bytes)).toBe(false);

  const run = await new Run(runtime, 1, "billing").begin();
  await run.wait();
  const needed = await tray.expectEntry("Codex · billing: approval: Bash");
  const menu = await tray.menu();
  const working = menu.findIndex(({ label }) => label.includes("Adding the tests"));
  expect(
    menu.findIndex(({ id }) => id === needed.id),
    "what needs the user comes first",
  ).toBeLessThan(working);
  await tray.expectTooltip("1 of 2 working, 1 needs you");
  const middle = (await tray.pixels()).bytes.subarray((32 * 64 + 32) * 4, (32 * 64 + 32) * 4 + 4);
  expect(middle[0], "and has a dot in the middle").toBe(255);

  await tray.choose("Adding the tests");
  await expectRoute(app, `#/session/${sessionId}`);
  await tray.choose("Settings");
  await expectRoute(app, "#/settings");
  await run.goOn();
  await tray.expectTooltip("2 of 2 working, 1 needs you");
  expect((await tray.expectEntry("Codex · billing: ")).label, "it waits no more").not.toContain("Bash");
  await agent.close();
});

test("window, tray and terminal show the same list of a run, also after it was cleared", async ({
  open,
  folder,
  tray,
}) => {
  const app = await open();
  // Nothing tells of the end of its turn, when its list is empty.
  await set(folder, { settleSeconds: 0 });
  const socket = await Socket.open(await folder.gateway());
  const terminal = async (): Promise<string> => {
    const show = folder.spawn("sightline todo show", SIGHTLINE, ["todo", "show"], {
      SIGHTLINE_DATA_DIR: folder.path,
    });
    expect(await show.end(), show.output).toBe(0);
    return show.output;
  };
  const agent = { name: "codex", version: "0.152.0" };
  await socket.ask("hello", {
    agent: { agent, ownSession: "run-1", folder: "/home/me/billing", project: "billing" },
  });
  const plan = [{ content: "Its plan", status: "in_progress" }];
  await socket.ask("todo.observe", { tool: "update_plan", todos: plan });
  await app.card("codex").waitForClickable();
  await app.card("codex").click();
  await app.expectRows(["Its plan"]);
  await tray.expectEntry("0/1 · Its plan");
  expect(await terminal()).toContain("Its plan");

  const ours = [{ content: "Ours", status: "in_progress" }];
  const { sessionId } = await socket.ask("todo.write", { todos: ours });
  await app.expectRows(["Ours"]);
  await tray.expectEntry("0/1 · Ours");
  expect(await terminal()).toContain("Ours");

  const user = await Socket.open(await folder.gateway());
  await user.ask("todo.clear", { sessionId });
  await until("the window's list is empty", async () => !(await app.text()).includes("Ours"));
  expect(await app.text(), "and stands above the built-in one").toContain("Built-in list (update_plan)");
  await tray.expectTooltip("0 of 1 working");
  expect((await tray.menu()).map(({ label }) => label).join("\n")).not.toContain("Its plan");
  expect(await terminal()).not.toContain("Its plan");
  socket.close();
  user.close();
});

test("closing leaves the app in the tray where the user wants it and there is one", async ({
  open,
  folder,
  tray,
}) => {
  const app = await open();
  await folder.gateway();
  await expectInfo(app, "there is a tray", (info) => info.tray && !info.staysInTray);
  await set(folder, { keepInTray: true });
  await expectInfo(app, "it stays in the tray", ({ staysInTray }) => staysInTray);
  expect(await pressCloseButton("Sightline")).toBe(1);
  await expectWindow("is hidden by its close button", ({ shown }) => !shown);
  expect(folder.runtime, "it runs on").toBeDefined();
  await tray.choose("Show Sightline");
  await expectWindow("is shown again", ({ shown }) => shown);
  await tray.choose("Hide Sightline");
  await expectWindow("is hidden", ({ shown }) => !shown);
  await tray.click();
  await expectWindow("is shown by a click", ({ shown }) => shown);

  await tray.leave();
  await expectInfo(app, "there is no tray", (info) => !info.tray && !info.staysInTray);
  await app.close();
  await until("without a tray closing ends it", () => !folder.runtime);
});

test("what needs the user is told, and opens its session", async ({ open, folder, notifications, tray }) => {
  const app = await open();
  const runtime = await folder.gateway();
  const [api, docs] = [new Run(runtime, 1, "billing-api"), new Run(runtime, 2, "docs")];
  await api.begin();
  await docs.begin();
  await app.expectText("docs");
  // Events that the shell has not looked at before are taken for old.
  await tray.expectTooltip(/^2 of 2 working/);
  await api.wait();
  const notice = await notifications.first("Codex · billing-api needs you");
  expect(notice.body).toContain("Bash");
  expect(notice).toMatchObject({ app: "Sightline", urgency: 2, category: "x-sightline.needs-you" });
  expect(notice.sound).toBeTruthy();
  expect(notice.actions).toEqual({ default: "Open", open: "Open", terminal: "Open terminal" });
  notifications.press(notice, "open");
  await expectRoute(app, /^#\/session\/./);
  await app.expectText("billing-api");

  await docs.wait();
  const second = await notifications.first("Codex · docs needs you");
  await docs.goOn();
  await notifications.expectTakenBack(second);
  expect(notifications.shown.map(({ title }) => title)).toEqual([notice.title, second.title]);

  // Without a sound, where none is wanted; and nothing is left whose buttons nobody would answer.
  await set(folder, { notifySound: false });
  await app.browser.execute(() => void (location.hash = "#/settings"));
  await app.browser.$('[data-setting="notifySound"] [role="switch"][aria-checked="false"]').waitForExist();
  await app.browser.$("button=Show").click();
  const tried = await notifications.first("Test notification");
  expect(tried.sound).toBeUndefined();
  await app.close();
  await notifications.expectTakenBack(tried);
});

test("what has finished is told quietly, and not of a session that is looked at", async ({
  open,
  folder,
  notifications,
  tray,
}) => {
  const app = await open();
  const runtime = await folder.gateway();
  // No hook tells of these the end of a turn; else they are told after 20 seconds of silence.
  await set(folder, { settleSeconds: 0 });
  const done = STORY.map((todo) => ({ ...todo, status: "completed" }));
  const [seen, unseen] = [await Agent.connect(runtime, "seen"), await Agent.connect(runtime, "unseen")];
  await seen.write(STORY);
  await unseen.write(STORY);
  await app.openSession("seen");
  await giveKeyboard(app);
  // Only of what the shell saw at work an end is told.
  await tray.expectTooltip("2 of 2 working");
  await seen.write(done);
  await app.expectText("3/3");
  await unseen.write(done);
  const notice = await notifications.first("unseen");
  expect(notice.title).toMatch(/finished$/);
  expect(notice).toMatchObject({
    body: "3 of 3",
    urgency: 0,
    category: "x-sightline.finished",
    sound: undefined,
  });
  expect(notifications.shown).toHaveLength(1);
  await seen.close();
  await unseen.close();
});

test("quiet hours are kept, and end with one notification", async ({ open, folder, notifications, tray }) => {
  await open();
  const runtime = await folder.gateway();
  const runs = [1, 2, 3].map((number) => new Run(runtime, number, `project-${number}`));
  await set(folder, { quietFrom: clock(-60), quietTo: clock(60) });
  for (const run of runs) await run.begin();
  await tray.expectTooltip(/^3 of 3 working/);
  for (const run of runs) await run.wait();
  await tray.expectTooltip("0 of 3 working, 3 need you");
  expect(notifications.shown, "it is night").toEqual([]);
  await set(folder, { quietFrom: clock(60), quietTo: clock(120) });
  const notice = await notifications.first("3 sessions need you");
  expect(notice.body.split("\n")).toHaveLength(3);
  expect(notifications.shown).toHaveLength(1);
});

test("the window is a strip and becomes whole again where it was", async ({ open }) => {
  const app = await open();
  await app.expectText("Sightline");
  const whole = await expectWindow("is shown", ({ shown, width }) => shown && width > 700);
  await app.command("window_compact", { on: true });
  await expectRoute(app, "#/compact");
  // The page says how high it is: one line, where nothing runs.
  const strip = await expectWindow("is a strip", ({ width, height }) => width === 320 && height < 120);
  await app.command("window_compact", { on: false });
  await expectRoute(app, "#/");
  const isWhole = ({ width, height }: OnScreen) => width === whole.width && height === whole.height;
  await expectWindow("is whole", isWhole);
  // The page's message about its strip may come late.
  await app.command("window_compact", { on: true, height: strip.height });
  await expectInfo(app, "it is whole", ({ compact }) => !compact);
  await pause(500);
  await expectRoute(app, "#/");
  await expectWindow("is whole still", isWhole);
  await app.command("window_compact", { on: true });
  await expectWindow(
    "is where the strip was",
    ({ x, y, width }) => width === 320 && x === strip.x && y === strip.y,
  );
  await app.close();

  const again = await open();
  await expectWindow(
    "is whole after a start",
    ({ width, height }) => width === whole.width && height === whole.height,
  );
  await again.close();
});

/** Distance of the strip from the corner of the screen. */
const MARGIN = 16;

test("the strip opens in the upper right corner of the screen the first time", async ({ open }) => {
  const app = await open();
  await app.expectText("Sightline");
  await app.command("window_compact", { on: true });
  await expectRoute(app, "#/compact");
  const right = await onScreen(async (_screen, _root, display) => display.screen[0]!.pixel_width);
  await expectWindow(
    "is in the corner",
    ({ x, y, width }) => width === 320 && x === right - width - MARGIN && y === MARGIN,
  );
});

test("the page is made larger and stays so", async ({ open }) => {
  let app = await open();
  await app.expectText("Sightline");
  const width = (): Promise<number> => app.browser.execute(() => innerWidth);
  const before = await width();
  for (let step = 0; step < 8; step++) await app.command("window_do", { action: "zoom-in" });
  await expectInfo(app, "it is twice as large", ({ zoom }) => zoom === 2);
  await until("the page has half the room", async () => Math.abs((await width()) - before / 2) < 2);
  await app.close();
  app = await open();
  await until("it is kept", async () => Math.abs((await width()) - before / 2) < 2);
  await app.command("window_do", { action: "zoom-reset" });
  await until("it is as it was", async () => Math.abs((await width()) - before) < 2);
});

test("keys for everywhere show and hide the window", async ({ open, folder }) => {
  const [CONTROL, SHIFT, L] = [0xffe3, 0xffe1, 0x6c];
  const app = await open();
  await app.expectText("Sightline");
  await set(folder, { shortcut: "CommandOrControl+Shift+L" });
  await expectInfo(app, "the keys are taken", ({ shortcut }) => shortcut.state === "on");
  await giveKeyboard(app);
  await pressKeys(CONTROL, SHIFT, L);
  await expectWindow("is hidden", ({ shown }) => !shown);
  await pressKeys(CONTROL, SHIFT, L);
  await expectWindow("is shown", ({ shown }) => shown);

  await set(folder, { shortcut: "Control+Nonsense" });
  await expectInfo(app, "why not", ({ shortcut }) => shortcut.message?.includes("Ctrl+Nonsense") === true);
  await set(folder, { shortcut: "" });
  await expectInfo(app, "nothing is taken", ({ shortcut }) => shortcut.state === "off");
});

test("it starts at login, into the tray, while the user wants that", async ({ open, folder }) => {
  const app = await open();
  const entries = join(folder.home, ".config", "autostart");
  const entry = (): string | undefined => {
    const name = `Sightline ${folder.path.replaceAll(/[^A-Za-z0-9]/g, "-")}.desktop`;
    const path = join(entries, name);
    return existsSync(path) ? readFileSync(path, "utf8") : undefined;
  };
  await folder.gateway();
  expect(entry()).toBeUndefined();
  await set(folder, { startAtLogin: true });
  await expectInfo(app, "it starts at login", ({ startAtLogin }) => startAtLogin.state === "on");
  const words = entry() ?? "";
  expect(words).toContain(DESKTOP);
  expect(words).toContain("--hidden");
  expect(words, "with the data that it has now").toContain(folder.path);
  await set(folder, { startAtLogin: false });
  await expectInfo(app, "it does not", ({ startAtLogin }) => startAtLogin.state === "off");
  expect(entry()).toBeUndefined();
});

test("a start into the tray has no window until it is asked for", async ({ folder, tray }) => {
  const display = Object.fromEntries(
    ["DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR"].flatMap((name) =>
      process.env[name] ? [[name, process.env[name]!]] : [],
    ),
  );
  const child = folder.spawn("sightline-desktop", DESKTOP, ["--hidden", "--data-dir", folder.path], display);
  await tray.expectTooltip("Nothing is running");
  expect((await appWindow())?.shown ?? false).toBe(false);
  await tray.choose("Show Sightline");
  await expectWindow("is shown", ({ shown }) => shown);
  await tray.choose("Quit Sightline");
  await until("it has ended", () => child.hasEnded);
});

test("a second start shows the first one's window, with what it was to show", async ({ folder, tray }) => {
  const session = Object.fromEntries(
    ["DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR"].flatMap((name) =>
      process.env[name] ? [[name, process.env[name]!]] : [],
    ),
  );
  const start = (...words: string[]) => folder.spawn("sightline-desktop", DESKTOP, words, session);
  const first = start("--hidden");
  await tray.expectTooltip("Nothing is running");
  expect(await start().end()).toBe(0);
  await expectWindow("is shown", ({ shown }) => shown);
  expect(await start("--compact").end()).toBe(0);
  await expectWindow("is a strip", ({ width }) => width === 320);
  expect(await start("--session", "nobody").end()).toBe(0);
  await expectWindow("is whole", ({ width }) => width > 700);
  expect(first.hasEnded).toBe(false);
  await tray.choose("Quit Sightline");
  await until("it has ended", () => first.hasEnded);
});

test("the menu bar is there when the user wants it", async ({ open, folder }) => {
  const app = await open();
  await app.expectText("Sightline");
  const height = (): Promise<number> => app.browser.execute(() => innerHeight);
  const before = await height();
  await set(folder, { menuBar: true });
  await expectInfo(app, "it is there", ({ menuBar }) => menuBar);
  await until("it takes some room", async () => (await height()) < before);
  await set(folder, { menuBar: false });
  await until("and gives it back", async () => (await height()) === before);
});
