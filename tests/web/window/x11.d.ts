/** The little of the `x11` package that closing a window needs. */
declare module "x11" {
  type Answer<T> = (error: Error | null, value: T) => void;

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
    SendEvent(window: number, propagate: boolean, mask: number, event: Buffer): void;
    GetInputFocus(answer: Answer<unknown>): void;
    terminate(): void;
  }

  export interface Display {
    client: Connection;
    screen: { root: number }[];
  }

  const x11: { createClient(answer: Answer<Display>): void };
  export default x11;
}
