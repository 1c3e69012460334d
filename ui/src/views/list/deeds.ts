import type { EditView } from "../../protocol/types";
import type { Row } from "../../state/rows";

/** The actions on the rows of a list, and the events that rows report. */
export type RowDeeds = {
  status(row: Row): void;
  /** Gives it the next priority. */
  priority(row: Row): void;
  edit(row: Row): void;
  insert(row: Row): void;
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
