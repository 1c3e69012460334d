import { toFailure } from "../../backend/backend";
import { m } from "../../paraglide/messages";
import type { Gateway } from "../../state/gateway.svelte";
import { toasts } from "../../shared/toast.svelte";
import { brief } from "../../shared/text/plain";

/** Takes a need off what needs the user, for all whose it is, and leaves everything as it is; the toast takes that back. */
export async function letBe(
  gateway: Gateway,
  needId: string,
  sessionIds: string[],
  what: string,
): Promise<void> {
  const mark = (dismissed: boolean) =>
    Promise.all(
      sessionIds.map((sessionId) => gateway.call("need.dismiss", { sessionId, needId, dismissed })),
    );
  try {
    await mark(true);
    toasts.offerUndo(m.needs_dismissed({ what: brief(what, 90) }), () => void mark(false).catch(fail));
  } catch (thrown) {
    toasts.fail(m.needs_not_dismissed({ why: toFailure(thrown).message }));
  }
}

function fail(thrown: unknown): void {
  toasts.fail(toFailure(thrown).message);
}
