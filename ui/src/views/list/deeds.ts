import type { EditView, Priority, Status } from "../../protocol/types";
import type { Row } from "../../state/rows";

/** The actions on the rows of a list, and the events that rows report. */
export type RowDeeds = {
  status(row: Row): void;
  /** Gives it the next priority. */
  priority(row: Row): void;
  edit(row: Row): void;
  setStatus(row: Row, status: Status): void;
  setPriority(row: Row, priority: Priority | null): void;
  insert(row: Row): void;
  insertAfter(row: Row): void;
  /** Moves it up or down; nothing at the ends. */
  shifter(row: Row): (by: -1 | 1) => (() => void) | undefined;
  /** Puts it under the step above it, or `out` of the one that it belongs to; nothing where it cannot be there. */
  indenter(row: Row): (out: boolean) => (() => void) | undefined;
  remove(row: Row): void;
  details(row: Row): void;
  insist(edit: EditView): void;
  /** Leaves it as the agent has it. */
  letBe(needId: string, text: string): void;
  /** It is pointed at what a row waits for, or not any more. */
  point(row: Row | undefined): void;
  /** Goes to what a row waits for. */
  follow(row: Row): void;
  /** A row is taken by its grip. */
  grab(event: PointerEvent, row: Row): void;
};
