import type { CommandBar } from "../state/command-bar.svelte";
import { place } from "../state/route.svelte";

/** Opens the bar for the session that is open, or for the one whose card has the focus. */
export function openCommandBar(bar: CommandBar): void {
  const card = document.activeElement?.closest<HTMLElement>("[data-session]")?.dataset.session;
  bar.open(place.route.page === "session" ? place.route.sessionId : card);
}
