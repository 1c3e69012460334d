import type { CommandBar } from "../state/command-bar.svelte";
import { place } from "../state/route.svelte";

/** Opens the bar for the session whose card or list has the focus, or for the one that is open. */
export function openCommandBar(bar: CommandBar): void {
  const card = document.activeElement?.closest<HTMLElement>("[data-session]")?.dataset.session;
  bar.open(card ?? (place.route.page === "session" ? place.route.sessionId : undefined));
}
