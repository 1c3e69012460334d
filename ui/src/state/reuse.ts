import { dequal } from "dequal/lite";
import type { KnownSession } from "./apply";

/**
 * `next`, with every part that is the same as in `before` being the very same object.
 *
 * Views compare by identity, so a row whose item did not change costs nothing.
 */
export function reuse(before: KnownSession, next: KnownSession): KnownSession {
  return {
    whole: next.whole,
    made: dequal(before.made, next.made) ? before.made : next.made,
    ways: dequal(before.ways, next.ways) ? before.ways : next.ways,
    session: dequal(before.session, next.session) ? before.session : next.session,
    todos: reuseEach(before.todos, next.todos, (item) => item.uid),
    edits: reuseEach(before.edits, next.edits, (edit) => edit.editId),
  };
}

function reuseEach<T>(before: T[], next: T[], key: (part: T) => string): T[] {
  if (before === next) return before;
  const known = new Map(before.map((part) => [key(part), part]));
  const merged = next.map((part) => {
    const old = known.get(key(part));
    return old !== undefined && dequal(old, part) ? old : part;
  });
  const same = merged.length === before.length && merged.every((part, index) => part === before[index]);
  return same ? before : merged;
}
