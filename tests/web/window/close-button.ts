import { answered, onScreen, property, windowsNamed } from "./screen.ts";

const CLIENT_MESSAGE = 33;

/** Presses the close button of every window of this name: tells it what a window manager tells it then. */
export async function pressCloseButton(name: string): Promise<number> {
  return onScreen(async (screen, root) => {
    const atom = (word: string): Promise<number> =>
      answered((answer) => screen.InternAtom(false, word, answer));
    const [protocols, close] = [await atom("WM_PROTOCOLS"), await atom("WM_DELETE_WINDOW")];
    let pressed = 0;
    for (const window of await windowsNamed(screen, root, name)) {
      const understood = await property(screen, window, "WM_PROTOCOLS");
      const closes = Array.from({ length: understood.length / 4 }, (_, at) =>
        understood.readUInt32LE(at * 4),
      );
      if (!closes.includes(close)) continue;
      const event = Buffer.alloc(32);
      event.writeUInt8(CLIENT_MESSAGE, 0);
      event.writeUInt8(32, 1);
      event.writeUInt32LE(window, 4);
      event.writeUInt32LE(protocols, 8);
      event.writeUInt32LE(close, 12);
      screen.SendEvent(window, false, 0, event);
      pressed++;
    }
    return pressed;
  });
}
