import { toFailure } from "../../backend/backend";
import { m } from "../../paraglide/messages";
import type { NeedDismiss } from "../../protocol/types";
import type { Gateway } from "../../state/gateway.svelte";
import { toasts } from "../../shared/toast.svelte";
import { now } from "../../shared/clock.svelte";
import { brief } from "../../shared/text/plain";
import { clockTime } from "../../shared/text/time";

/** A need of sessions. */
export type Dismissed = { needId: string; sessionIds: string[] };

/**
 * Takes a need off what needs the user, for all whose it is, and leaves everything as it is; the toast takes that back.
 * With a time, it comes back by then.
 */
export async function letBe(
  gateway: Gateway,
  needId: string,
  sessionIds: string[],
  subject: string,
  until?: string,
): Promise<boolean> {
  const what = brief(subject, 90);
  const done =
    until === undefined
      ? m.needs_dismissed({ what })
      : m.needs_put_off({ time: clockTime(until, now()), what });
  return dismiss(gateway, [{ needId, sessionIds }], done, until);
}

/** The same with several at once. */
export function dismissAll(gateway: Gateway, needs: Dismissed[]): Promise<boolean> {
  return dismiss(gateway, needs, m.needs_all_dismissed({ count: needs.length }));
}

async function dismiss(gateway: Gateway, needs: Dismissed[], done: string, until?: string): Promise<boolean> {
  const mark = (how: Omit<NeedDismiss, "sessionId" | "needId">) =>
    Promise.all(
      needs.flatMap(({ needId, sessionIds }) =>
        sessionIds.map((sessionId) => gateway.call("need.dismiss", { sessionId, needId, ...how })),
      ),
    );
  try {
    await mark({ dismissed: true, ...(until !== undefined && { until }) });
    toasts.offerUndo(done, () => void mark({ dismissed: false }).catch(fail));
    return true;
  } catch (thrown) {
    toasts.fail(m.needs_not_dismissed({ why: toFailure(thrown).message }));
    return false;
  }
}

function fail(thrown: unknown): void {
  toasts.fail(toFailure(thrown).message);
}
