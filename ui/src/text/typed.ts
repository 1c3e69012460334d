/** What the user typed into the add field: what to add, and where, if that was said. */
export type Typed = { content: string; position?: string };

const SUBTASK = /^(\d+\.(?:\d+|last))\s+(\S.*)$/su;

/** Only `2.1 text` and `2.last text` name a place; everything else is the step's own text. */
export function readTyped(text: string): Typed {
  const [, position, content] = SUBTASK.exec(text.trim()) ?? [];
  return position !== undefined && content !== undefined ? { content, position } : { content: text.trim() };
}
