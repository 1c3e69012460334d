import { tick } from "svelte";
import { sessionAddress } from "../state/route.svelte";

/** How long a step may take to be there, once its page is asked for. */
const WITHIN = 2_000;

/** Goes to a step on its session's page. */
export async function showStep(sessionId: string, uid: string | undefined): Promise<void> {
  location.hash = sessionAddress(sessionId);
  if (uid === undefined) return;
  const until = performance.now() + WITHIN;
  const find = () => document.querySelector<HTMLElement>(`main [data-uid="${CSS.escape(uid)}"]`);
  // oxlint-disable-next-line no-await-in-loop
  while (!find() && performance.now() < until) await new Promise(requestAnimationFrame);
  // The page takes the focus to its heading when it comes.
  await tick();
  const step = find();
  step?.focus({ preventScroll: true });
  step?.scrollIntoView({ block: "center" });
}
