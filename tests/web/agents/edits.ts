import type { Socket } from "../parts/socket.ts";
import { expect } from "../parts/test.ts";

/** Waits until an edit has had these states, and no other; gives the call that delivered it. */
export async function passed(
  user: Socket,
  editId: unknown,
  ...states: string[]
): Promise<string | undefined> {
  const events = () => user.seen.filter((m) => m.type === "edit.state" && m["editId"] === editId);
  await expect.poll(() => events().map((event) => event["state"])).toEqual(states);
  return events().find((event) => event["state"] === "delivered")?.["toolCall"] as string | undefined;
}

/** Counts how often something is said. */
export function times(text: string | undefined, what: string): number {
  return (text ?? "").split(what).length - 1;
}
