import { toFailure } from "../backend/backend";
import { m } from "../paraglide/messages";
import { live } from "../shared/live.svelte";
import { brief } from "../shared/text/plain";
import { toasts } from "../shared/toast.svelte";
import { runName } from "../text/runs";
import type { Gateway } from "./gateway.svelte";
import type { Run } from "./runs";

/** The run whose tags are being edited in a dialog. */
class Tagging {
  runId = $state<string>();
}

export const tagging = new Tagging();

/** The tags in what was typed, which may be several. */
export function tagsIn(typed: string): string[] {
  return typed.split(/[\s,;]+/).filter((word) => word.replace(/^#/, "") !== "");
}

/** Gives a run tags, or takes them from it. False where that was refused, which is told. */
export async function setTags(
  gateway: Gateway,
  run: Run,
  tags: string[],
  isAdded: boolean,
): Promise<boolean> {
  try {
    const sessionId = run.ours.session.sessionId;
    await gateway.call("session.mark", {
      sessionId,
      ...(isAdded ? { addTags: tags } : { removeTags: tags }),
    });
    const tag = brief(tags.join(", "), 60);
    live.say(isAdded ? m.order_tag_added({ tag }) : m.order_tag_removed({ tag }));
    return true;
  } catch (thrown) {
    toasts.fail(m.now_not_marked({ name: brief(runName(run)), why: toFailure(thrown).message }));
    return false;
  }
}

/** The tags that sessions have, in order. */
export function knownTags(gateway: Gateway): string[] {
  const tags = gateway.order.flatMap(({ ours }) => ours.session.tags ?? []);
  return [...new Set(tags)].toSorted((a, b) => a.localeCompare(b));
}
