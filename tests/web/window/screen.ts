// The app's window as the screen has it, and keys as a keyboard sends them.
import x11, { type Attributes, type Connection, type Display, type Geometry, type XTest } from "x11";
import { until } from "../parts/process.ts";

const ANY_TYPE = 0;
const VIEWABLE = 2;

/** The screen's facts about a window. */
export interface OnScreen {
  id: number;
  shown: boolean;
  width: number;
  height: number;
  x: number;
  y: number;
}

export function answered<T>(ask: (answer: (error: Error | null, value: T) => void) => void): Promise<T> {
  return new Promise((resolve, reject) => ask((error, value) => (error ? reject(error) : resolve(value))));
}

/** Does something with the screen, which is asked and let go again. */
export async function onScreen<T>(
  deed: (screen: Connection, root: number, display: Display) => Promise<T>,
): Promise<T> {
  const display = await answered<Display>((answer) => x11.createClient(answer));
  // A screen that everybody has left begins anew, with other atoms; the package keeps them for all connections.
  display.client.atoms = { ...display.client.atoms };
  try {
    const done = await deed(display.client, display.screen[0]!.root, display);
    // Answered after everything that was sent before it.
    await answered((answer) => display.client.GetInputFocus(answer));
    return done;
  } finally {
    display.client.terminate();
  }
}

export async function property(screen: Connection, window: number, word: string): Promise<Buffer> {
  const key = await answered<number>((answer) => screen.InternAtom(false, word, answer));
  const value = await answered<{ data: Buffer }>((answer) =>
    screen.GetProperty(0, window, key, ANY_TYPE, 0, 1024, answer),
  );
  return value.data;
}

/** The ids of all windows that have a name and a close button. */
export async function windowsNamed(screen: Connection, root: number, name: string): Promise<number[]> {
  const { children } = await answered<{ children: number[] }>((answer) => screen.QueryTree(root, answer));
  const found: number[] = [];
  // One that goes meanwhile has nothing any more.
  const of = (window: number, word: string): Promise<Buffer> =>
    property(screen, window, word).catch(() => Buffer.alloc(0));
  for (const window of children) {
    const closes = (await of(window, "WM_PROTOCOLS")).length > 0;
    if (closes && (await of(window, "WM_NAME")).toString().includes(name)) found.push(window);
  }
  return found;
}

/** The app's window, where there is one. */
export async function appWindow(): Promise<OnScreen | undefined> {
  return onScreen(async (screen, root) => {
    const [id] = await windowsNamed(screen, root, "Sightline");
    return id === undefined ? undefined : seen(screen, id);
  });
}

/** A window as it is; nothing where it goes meanwhile. */
async function seen(screen: Connection, id: number): Promise<OnScreen | undefined> {
  try {
    const { mapState } = await answered<Attributes>((answer) => screen.GetWindowAttributes(id, answer));
    const { width, height, xPos, yPos } = await answered<Geometry>((answer) =>
      screen.GetGeometry(id, answer),
    );
    return { id, shown: mapState === VIEWABLE, width, height, x: xPos, y: yPos };
  } catch {
    return undefined;
  }
}

/** Waits until the app's window is as it should be. */
export async function expectWindow(what: string, is: (window: OnScreen) => boolean): Promise<OnScreen> {
  let seen: OnScreen | undefined;
  const found = async (): Promise<OnScreen | undefined> => {
    seen = await appWindow();
    return seen && is(seen) ? seen : undefined;
  };
  return until(`the window ${what}`, found, 20).catch((error: Error) => {
    throw new Error(`${error.message}; it is ${JSON.stringify(seen)}`);
  });
}

/** Gives the keyboard to the app's window, as a window manager does. */
export async function focusWindow(): Promise<void> {
  const { id } = await expectWindow("is shown", ({ shown }) => shown);
  await onScreen((screen) => Promise.resolve(screen.SetInputFocus(id, 1)));
}

/** Presses keys together, on the keyboard itself: whoever listens everywhere hears them. */
export async function pressKeys(...keysyms: number[]): Promise<void> {
  await onScreen(async (screen, root, display) => {
    const test = await answered<XTest>((answer) => screen.require("xtest", answer));
    const { min_keycode: least, max_keycode: most } = display;
    const mapped = await answered<number[][]>((answer) =>
      screen.GetKeyboardMapping(least, most - least, answer),
    );
    const codes = keysyms.map((keysym) => {
      const at = mapped.findIndex((of) => of.includes(keysym));
      if (at < 0) throw new Error(`the keyboard has no key ${keysym}`);
      return least + at;
    });
    for (const code of codes) test.FakeInput(test.KeyPress, code, 0, root, 0, 0);
    for (const code of codes.toReversed()) test.FakeInput(test.KeyRelease, code, 0, root, 0, 0);
  });
}

/** Clicks with a button of the mouse itself, at a point of the app's window. */
export async function clickAt(button: number, x: number, y: number): Promise<void> {
  const window = await expectWindow("is shown", ({ shown }) => shown);
  await onScreen(async (screen, root) => {
    const test = await answered<XTest>((answer) => screen.require("xtest", answer));
    test.FakeInput(test.MotionNotify, 0, 0, root, window.x + x, window.y + y);
    test.FakeInput(test.ButtonPress, button, 0, root, 0, 0);
    test.FakeInput(test.ButtonRelease, button, 0, root, 0, 0);
  });
}
