import { toFailure } from "../../backend/backend";
import { m } from "../../paraglide/messages";
import type { Gateway } from "../../state/gateway.svelte";
import { toasts } from "../../shared/toast.svelte";
import { brief } from "../../shared/text/plain";

/** A need of sessions. */
export type Dismissed = { needId: string; sessionIds: string[] };

/** Takes a need off what needs the user, for all whose it is, and leaves everything as it is; the toast takes that back. */
export async function letBe(
  gateway: Gateway,
  needId: string,
  sessionIds: string[],
  what: string,
): Promise<boolean> {
  return dismiss(gateway, [{ needId, sessionIds }], m.needs_dismissed({ what: brief(what, 90) }));
}

/** The same with several at once. */
export function dismissAll(gateway: Gateway, needs: Dismissed[]): Promise<boolean> {
  return dismiss(gateway, needs, m.needs_all_dismissed({ count: needs.length }));
}

async function dismiss(gateway: Gateway, needs: Dismissed[], done: string): Promise<boolean> {
  const mark = (dismissed: boolean) =>
    Promise.all(
      needs.flatMap(({ needId, sessionIds }) =>
        sessionIds.map((sessionId) => gateway.call("need.dismiss", { sessionId, needId, dismissed })),
      ),
    );
  try {
    await mark(true);
    toasts.offerUndo(done, () => void mark(false).catch(fail));
    return true;
  } catch (thrown) {
    toasts.fail(m.needs_not_dismissed({ why: toFailure(thrown).message }));
    return false;
  }
}

function fail(thrown: unknown): void {
  toasts.fail(toFailure(thrown).message);
}
