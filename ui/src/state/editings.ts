import { m } from "../paraglide/messages";
import { fetched } from "../shared/part.svelte";
import { toasts } from "../shared/toast.svelte";
import type { Editings } from "./editing.svelte";
import type { OnDemand } from "./on-demand";

/**
 * The user's edits of lists, for the first page, which does without their code until one is made. Nothing where it cannot
 * be fetched, which is told.
 */
export async function fetchEditings(onDemand: OnDemand): Promise<Editings | undefined> {
  try {
    const { Editings: Kind } = await fetched(() => import("./editing.svelte"));
    return onDemand.of(Kind);
  } catch {
    toasts.fail(m.common_not_fetched());
    return undefined;
  }
}
