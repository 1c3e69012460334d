import x11, { type Display } from "x11";

const CLIENT_MESSAGE = 33;
const ANY_TYPE = 0;

/** Presses the close button of every window of this name: tells it what a window manager tells it then. */
export async function pressCloseButton(name: string): Promise<number> {
  const display = await answered<Display>((answer) => x11.createClient(answer));
  const screen = display.client;
  const atom = (word: string): Promise<number> =>
    answered((answer) => screen.InternAtom(false, word, answer));
  const property = async (window: number, word: string): Promise<Buffer> => {
    const key = await atom(word);
    const value = await answered<{ data: Buffer }>((answer) =>
      screen.GetProperty(0, window, key, ANY_TYPE, 0, 1024, answer),
    );
    return value.data;
  };

  const [protocols, close] = [await atom("WM_PROTOCOLS"), await atom("WM_DELETE_WINDOW")];
  const root = display.screen[0]!.root;
  const { children } = await answered<{ children: number[] }>((answer) => screen.QueryTree(root, answer));
  let pressed = 0;
  for (const window of children) {
    const understood = await property(window, "WM_PROTOCOLS");
    const closes = Array.from({ length: understood.length / 4 }, (_, at) => understood.readUInt32LE(at * 4));
    if (!closes.includes(close) || !(await property(window, "WM_NAME")).toString().includes(name)) continue;
    const event = Buffer.alloc(32);
    event.writeUInt8(CLIENT_MESSAGE, 0);
    event.writeUInt8(32, 1);
    event.writeUInt32LE(window, 4);
    event.writeUInt32LE(protocols, 8);
    event.writeUInt32LE(close, 12);
    screen.SendEvent(window, false, 0, event);
    pressed++;
  }
  // Answered after everything that was sent before it.
  await answered((answer) => screen.GetInputFocus(answer));
  screen.terminate();
  return pressed;
}

function answered<T>(ask: (answer: (error: Error | null, value: T) => void) => void): Promise<T> {
  return new Promise((resolve, reject) => ask((error, value) => (error ? reject(error) : resolve(value))));
}
