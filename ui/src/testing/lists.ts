import type { Item } from "../protocol/types";

/** The changes of lists that the desk's gateway makes. */
export function insert(todos: Item[], position: string | undefined, added: Item): Item[] {
  const [top, sub] = (position ?? "last").split(".");
  if (sub !== undefined) {
    return todos.map((todo, index) =>
      index === Number(top) - 1 ? { ...todo, subtasks: insert(todo.subtasks ?? [], sub, added) } : todo,
    );
  }
  return todos.toSpliced(top === "last" ? todos.length : Number(top) - 1, 0, added);
}

export function patch(todos: Item[], uid: string, fields: object): Item[] {
  return todos.map((todo) => {
    if (todo.uid !== uid) {
      return todo.subtasks ? { ...todo, subtasks: patch(todo.subtasks, uid, fields) } : todo;
    }
    const set = Object.entries({ ...todo, ...fields }).filter(([, value]) => value !== null);
    return Object.fromEntries(set) as Item;
  });
}

/** Puts an item on the other level, as the gateway does. */
export function indent(todos: Item[], uid: string | undefined, out: boolean): Item[] {
  if (!out) {
    const at = todos.findIndex((todo) => todo.uid === uid);
    const [above, found] = todos.slice(at - 1, at + 1);
    if (!above || !found) return todos;
    const { subtasks = [], ...item } = found;
    return todos.toSpliced(at - 1, 2, { ...above, subtasks: [...(above.subtasks ?? []), item, ...subtasks] });
  }
  return todos.flatMap((todo) => {
    const { subtasks = [] } = todo;
    const own = subtasks.find((each) => each.uid === uid);
    return own ? [{ ...todo, subtasks: subtasks.filter((each) => each !== own) }, own] : [todo];
  });
}

export function move(todos: Item[], uid: string | undefined, to: string): Item[] {
  const [top, sub] = to.split(".").map(Number);
  if (sub !== undefined) {
    return todos.map((todo, index) =>
      index + 1 === top ? { ...todo, subtasks: move(todo.subtasks ?? [], uid, String(sub)) } : todo,
    );
  }
  const moved = todos.filter((todo) => todo.uid === uid);
  return todos.filter((todo) => todo.uid !== uid).toSpliced((top ?? 1) - 1, 0, ...moved);
}
