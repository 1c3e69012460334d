/** The little of the `x11` package that is needed to close a window, to look at it, to press keys and buttons, and to paste. */
declare module "x11" {
  type Answer<T> = (error: Error | null, value: T) => void;

  export interface Attributes {
    mapState: number;
  }

  export interface Geometry {
    width: number;
    height: number;
    xPos: number;
    yPos: number;
  }

  export interface XTest {
    KeyPress: number;
    KeyRelease: number;
    ButtonPress: number;
    ButtonRelease: number;
    MotionNotify: number;
    FakeInput(type: number, code: number, time: number, root: number, x: number, y: number): void;
  }

  export interface Connection {
    /** The atoms that it knows. */
    atoms: Record<string, number>;
    QueryTree(window: number, answer: Answer<{ children: number[] }>): void;
    InternAtom(onlyIfExists: boolean, name: string, answer: Answer<number>): void;
    GetProperty(
      remove: number,
      window: number,
      name: number,
      type: number,
      offset: number,
      length: number,
      answer: Answer<{ data: Buffer }>,
    ): void;
    GetWindowAttributes(window: number, answer: Answer<Attributes>): void;
    GetGeometry(window: number, answer: Answer<Geometry>): void;
    GetKeyboardMapping(first: number, count: number, answer: Answer<number[][]>): void;
    AllocID(): number;
    CreateWindow(
      id: number,
      parent: number,
      x: number,
      y: number,
      width: number,
      height: number,
      border: number,
      depth: number,
      kind: number,
      visual: number,
      values: object,
    ): void;
    ConvertSelection(
      requestor: number,
      selection: number,
      target: number,
      property: number,
      time: number,
    ): void;
    GrabKey(
      window: number,
      own: number,
      modifiers: number,
      code: number,
      pointer: number,
      keyboard: number,
    ): void;
    SetInputFocus(window: number, revertTo: number): void;
    SendEvent(window: number, propagate: boolean, mask: number, event: Buffer): void;
    GetInputFocus(answer: Answer<unknown>): void;
    require(extension: "xtest", answer: Answer<XTest>): void;
    terminate(): void;
  }

  export interface Display {
    client: Connection;
    screen: { root: number; pixel_width: number }[];
    min_keycode: number;
    max_keycode: number;
  }

  const x11: { createClient(answer: Answer<Display>): void };
  export default x11;
}
