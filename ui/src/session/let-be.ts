import { toFailure } from "../backend/backend";
import { m } from "../paraglide/messages";
import type { Gateway } from "../state/gateway.svelte";
import { toasts } from "../state/toast.svelte";
import { brief } from "../text/plain";

/** Takes a need off what needs the user; it can be put back. */
export async function letBe(
  gateway: Gateway,
  sessionId: string,
  needId: string,
  text: string,
): Promise<void> {
  const request = { sessionId, needId };
  try {
    await gateway.call("need.dismiss", request);
    const put = () => gateway.call("need.dismiss", { ...request, dismissed: false });
    const words = text === "" ? m.session_left_this() : m.session_left({ step: brief(text) });
    toasts.offerUndo(words, () => void put().catch(told));
  } catch (thrown) {
    told(thrown);
  }
}

function told(thrown: unknown): void {
  toasts.fail(toFailure(thrown).message);
}
