import type { Gateway } from "../../state/gateway.svelte";
import { runDeeds } from "../../state/marks";
import type { Run } from "../../state/runs";

/** As `aria-keyshortcuts` has them. */
export const RUN_KEYS = "p m h x w o t e c k Shift+F10";

/** Keys on the link of a run: each of its deeds has a letter, and the menu key opens its menu. */
export function onRunKey(event: KeyboardEvent, gateway: Gateway, run: Run): void {
  const { key, altKey, ctrlKey, metaKey, shiftKey } = event;
  if (key === "ContextMenu" || (key === "F10" && shiftKey)) openMenu(event);
  else if (!altKey && !ctrlKey && !metaKey && !shiftKey && !event.repeat) {
    const deed = runDeeds(gateway, run)
      .flat()
      .find((each) => each.key === key);
    if (!deed) return;
    event.preventDefault();
    event.stopPropagation();
    deed.run();
  }
}

/** The menu key's own menu would come over ours; that of the mouse is left alone. */
export function onRunContextMenu(event: MouseEvent): void {
  if (event.button !== 2 && !event.ctrlKey) event.preventDefault();
}

function openMenu(event: KeyboardEvent): void {
  const card = (event.currentTarget as HTMLElement).closest("[data-session]");
  const button = card?.querySelector<HTMLElement>("[aria-haspopup=menu]");
  if (!button) return;
  event.preventDefault();
  button.click();
}
