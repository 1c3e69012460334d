import { readdirSync, readFileSync, readlinkSync, realpathSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { resolve } from "node:path";
import { type Browser, type ChainablePromiseElement, Key, remote } from "webdriverio";
import { DESKTOP, type DataFolder } from "../parts/gateway.ts";
import { type Child, until } from "../parts/process.ts";
import { pressCloseButton } from "./close-button.ts";

const DRIVER =
  process.env.TAURI_DRIVER ?? resolve(import.meta.dirname, "../../../target/tools/bin/tauri-driver");
const NATIVE_DRIVER = process.env.WEBKIT_DRIVER ?? "/usr/bin/WebKitWebDriver";

/** The session that a program with a window needs to be started in. */
const OF_THE_SCREEN = [
  "DISPLAY",
  "XAUTHORITY",
  "WAYLAND_DISPLAY",
  "DBUS_SESSION_BUS_ADDRESS",
  "XDG_RUNTIME_DIR",
];

/** The keys that are not letters, by their names. */
const KEYS: Record<string, string> = {
  Alt: Key.Alt,
  ArrowDown: Key.ArrowDown,
  ArrowLeft: Key.ArrowLeft,
  ArrowRight: Key.ArrowRight,
  ArrowUp: Key.ArrowUp,
  Control: Key.Control,
  Backspace: Key.Backspace,
  Delete: Key.Delete,
  End: Key.End,
  Enter: Key.Enter,
  Escape: Key.Escape,
  F10: Key.F10,
  Home: Key.Home,
  PageDown: Key.PageDown,
  PageUp: Key.PageUp,
  Shift: Key.Shift,
  Space: " ",
  Tab: Key.Tab,
};

/** The settings that let it be drawn in the same way where there is a graphics card: pictures are compared. */
export function ofTheScreen(): Record<string, string> {
  if (!process.env.DISPLAY) throw new Error("no display: run this with `dbus-run-session -- xvfb-run -a …`");
  const kept = OF_THE_SCREEN.filter((name) => process.env[name]).map((name) => [name, process.env[name]!]);
  return { ...(Object.fromEntries(kept) as Record<string, string>), WEBKIT_SKIA_ENABLE_CPU_RENDERING: "1" };
}

/** Two ports that nobody has; the first is held until the second is known, so that they differ. */
async function freePorts(): Promise<[number, number]> {
  const servers = [createServer(), createServer()];
  for (const server of servers) {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  }
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  for (const server of servers) await new Promise((resolve) => server.close(resolve));
  return ports as [number, number];
}

/**
 * WebKit's driver calls an element stale that it has found and that goes before it has a name for it: the page replaced
 * it, and what is asked for is looked for once more.
 */
function findAgainWhatWent(browser: Browser): void {
  type Find = (using: string, value: string) => Promise<unknown>;
  const again = async (find: Find, using: string, value: string): Promise<unknown> =>
    until(`what ${value} finds stays`, () =>
      find(using, value).catch((error: Error) => {
        if (error.name === "stale element reference") return undefined;
        throw error;
      }),
    );
  // The types know the library's own commands only, not the protocol's.
  (browser.overwriteCommand as (name: string, instead: typeof again) => void)("findElement", again);
}

/** The apps that run on a data folder. */
function appsOn(folder: string): number[] {
  return readdirSync("/proc").flatMap((pid) => {
    try {
      const isApp = readlinkSync(`/proc/${pid}/exe`) === realpathSync(DESKTOP);
      return isApp && readFileSync(`/proc/${pid}/environ`, "utf8").includes(folder) ? [Number(pid)] : [];
    } catch {
      // It is no process, or has ended.
      return [];
    }
  });
}

/** The built app's real window, used as a person uses it: by what is written and announced. */
export class AppWindow {
  private constructor(
    readonly browser: Browser,
    readonly driver: Child,
    readonly folder: DataFolder,
  ) {}

  static async open(
    folder: DataFolder,
    more: Record<string, string> = {},
    options: string[] = [],
  ): Promise<AppWindow> {
    const [port, native] = await freePorts();
    const args = ["--port", `${port}`, "--native-port", `${native}`, "--native-driver", NATIVE_DRIVER];
    const environment = { ...ofTheScreen(), SIGHTLINE_DATA_DIR: folder.path, ...more };
    const driver = folder.spawn("tauri-driver", DRIVER, args, environment);
    await until("tauri-driver answers", async () => {
      if (driver.hasEnded) throw new Error(`tauri-driver has ended: ${driver.output}`);
      return fetch(`http://127.0.0.1:${port}/status`).then(
        (response) => response.ok,
        () => false,
      );
    });
    const browser = await remote({
      hostname: "127.0.0.1",
      port,
      logLevel: "silent",
      connectionRetryTimeout: 60_000,
      connectionRetryCount: 0,
      waitforTimeout: 20_000,
      capabilities: {
        browserName: "wry",
        "wdio:enforceWebDriverClassic": true,
        "tauri:options": { application: DESKTOP, args: options },
      } as WebdriverIO.Capabilities,
    });
    findAgainWhatWent(browser);
    return new AppWindow(browser, driver, folder);
  }

  /** Closes the window with its close button, which ends the app. */
  async close(): Promise<void> {
    await until("the window is there to be closed", async () => (await pressCloseButton("Sightline")) === 1);
    await until("the window is closed", () =>
      this.browser.getTitle().then(
        () => false,
        () => true,
      ),
    );
    await until("the app has ended", () => appsOn(this.folder.path).length === 0);
    await this.browser.deleteSession().catch(() => undefined);
    await this.driver.stop();
  }

  /** Ends the session, and the app with it. */
  async leave(): Promise<void> {
    await this.browser.deleteSession().catch(() => undefined);
    // The driver may be gone before it has ended the app, which then goes on, and holds on to the driver's output.
    for (const pid of appsOn(this.folder.path)) process.kill(pid, "SIGTERM");
    await until("the app has ended", () => appsOn(this.folder.path).length === 0);
  }

  async picture(path: string): Promise<void> {
    writeFileSync(path, Buffer.from(await this.browser.takeScreenshot(), "base64"));
  }

  named(name: string): ChainablePromiseElement {
    return this.browser.$(`aria/${name}`);
  }

  card(agent: string): ChainablePromiseElement {
    return this.browser.$(`main a[aria-label^="${agent} · "]`);
  }

  row(position: number): ChainablePromiseElement {
    return this.browser.$(`[role="list"][aria-label="Steps"] [data-uid][data-position="${position}"]`);
  }

  /** The words of each row, in order; a person reads the same. */
  async rows(): Promise<{ status: string; text: string }[]> {
    return this.browser.execute(() =>
      [...document.querySelectorAll<HTMLElement>('[aria-label="Steps"] [data-uid][data-position]')].map(
        (row) => ({
          status: row.dataset["status"] ?? "",
          text: row.innerText,
        }),
      ),
    );
  }

  /** Waits until the rows are these, each having these words. */
  async expectRows(contents: string[]): Promise<void> {
    let seen: string[] = [];
    const same = async (): Promise<boolean> => {
      seen = (await this.rows()).map(({ text }) => text);
      return (
        seen.length === contents.length && contents.every((words, place) => seen[place]?.includes(words))
      );
    };
    await until("the rows are these", same, 20).catch((error: Error) => {
      throw new Error(`${error.message}: ${JSON.stringify(contents)}; there are ${JSON.stringify(seen)}`);
    });
  }

  async text(): Promise<string> {
    return this.browser.execute(() => document.body.innerText);
  }

  async expectText(words: string): Promise<void> {
    await until(`the window says ${words}`, async () => (await this.text()).includes(words), 20);
  }

  async openSession(agent: string): Promise<void> {
    const card = this.card(agent);
    await card.waitForClickable();
    await card.click();
    await this.named("Add a step").waitForExist();
  }

  /** Each key goes down and up again before the next, and at last Enter. */
  async type(words: string): Promise<void> {
    await this.write(words + Key.Enter);
  }

  /** The same, and nothing after it. */
  async write(words: string): Promise<void> {
    let typing = this.browser.action("key");
    for (const key of words) typing = typing.down(key).up(key);
    await typing.perform();
  }

  /**
   * Presses keys one after the other; those in one `+` together: `Alt+ArrowUp`. The strokes of one chord, `g n`, go as
   * one: the page forgets the first of them after a while, and a driver may take its time between two commands.
   */
  async press(...chords: string[]): Promise<void> {
    for (const chord of chords) {
      let pressing = this.browser.action("key");
      for (const stroke of chord.split(" ")) {
        const keys = stroke === "+" ? [stroke] : stroke.split("+").map((name) => KEYS[name] ?? name);
        for (const key of keys) pressing = pressing.down(key);
        for (const key of keys.toReversed()) pressing = pressing.up(key);
      }
      // All are up by then: there is nothing to release, which would be one more command for each key.
      await pressing.perform(true);
    }
  }

  /** The element that has the focus, by its name, or the row by its position. */
  async focused(): Promise<string> {
    return this.browser.execute(() => {
      const at = document.activeElement as HTMLElement | null;
      return at?.dataset["position"] ?? at?.getAttribute("aria-label") ?? at?.tagName ?? "";
    });
  }

  async expectFocus(name: string): Promise<void> {
    let seen = "";
    const is = async (): Promise<boolean> => (seen = await this.focused()) === name;
    await until(`the focus is on ${name}`, is, 20).catch((error: Error) => {
      throw new Error(`${error.message}; it is on ${seen}`);
    });
  }

  /** Waits until a row has these words. */
  async expectRow(position: number, words: string | RegExp): Promise<void> {
    let seen: string | undefined;
    const has = async (): Promise<boolean> => {
      seen = (await this.rows())[position - 1]?.text;
      return seen !== undefined && (typeof words === "string" ? seen.includes(words) : words.test(seen));
    };
    await until(`row ${position} has ${words}`, has, 20).catch((error: Error) => {
      throw new Error(`${error.message}; it says ${JSON.stringify(seen)}`);
    });
  }

  /** Asks the gateway by IPC as the page does. */
  async invoke(command: string, request: Record<string, unknown>): Promise<unknown> {
    return this.command(command, { request });
  }

  /** Calls a command of the shell as the page does. */
  async command(command: string, fields: Record<string, unknown> = {}): Promise<unknown> {
    return this.browser.execute(
      (name, given) => {
        type Internals = { invoke: (command: string, args: unknown) => Promise<unknown> };
        const { __TAURI_INTERNALS__: internals } = window as unknown as { __TAURI_INTERNALS__: Internals };
        return internals.invoke(name, given);
      },
      command,
      fields,
    );
  }

  /** Ends the app at once, as a crash does. */
  async crash(pid: number): Promise<void> {
    process.kill(pid, "SIGKILL");
    await this.driver.stop();
  }

  async add(words: string): Promise<void> {
    const field = this.named("Add a step");
    await field.waitForClickable();
    await field.click();
    await this.type(words);
  }

  async insert(position: number, words: string): Promise<void> {
    await this.row(position).moveTo();
    const gap = this.named(`Insert at ${position}`);
    await gap.waitForClickable();
    await gap.click();
    await until("the field has the focus", async () => {
      const name = await this.browser.execute(() => document.activeElement?.getAttribute("aria-label"));
      return name === `Insert a step at ${position}`;
    });
    await this.type(words);
  }

  async delete(position: number): Promise<void> {
    await this.row(position).moveTo();
    const button = this.named(`Delete step ${position}`);
    await button.waitForClickable();
    await button.click();
  }

  async clear(): Promise<void> {
    const button = this.named("Clear list");
    await button.waitForClickable();
    await button.click();
  }

  async undo(): Promise<void> {
    const button = this.named("Undo");
    await button.waitForClickable();
    await button.click();
  }
}
