/** The little of the `x11` package that is needed to close a window, to look at it, and to press keys. */
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
    FakeInput(type: number, code: number, time: number, root: number, x: number, y: number): void;
  }

  export interface Connection {
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
    SetInputFocus(window: number, revertTo: number): void;
    SendEvent(window: number, propagate: boolean, mask: number, event: Buffer): void;
    GetInputFocus(answer: Answer<unknown>): void;
    require(extension: "xtest", answer: Answer<XTest>): void;
    terminate(): void;
  }

  export interface Display {
    client: Connection;
    screen: { root: number }[];
    min_keycode: number;
    max_keycode: number;
  }

  const x11: { createClient(answer: Answer<Display>): void };
  export default x11;
}
