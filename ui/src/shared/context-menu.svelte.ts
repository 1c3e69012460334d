import type { MenuOf } from "./menu";
import { isTyping } from "./typing";

/** The key that opens a menu, which small keyboards do not have, or the keys in its place. */
export function isMenuKey({ key, shiftKey }: KeyboardEvent): boolean {
  return key === "ContextMenu" || (key === "F10" && shiftKey);
}

type OpenMenu = Pick<MenuOf, "label" | "groups"> & {
  anchor: { getBoundingClientRect: () => DOMRect };
  /** Puts the focus back. */
  onreturn: () => void;
};

/** The menu that a right click or the menu key has opened. */
class ContextMenu {
  opened = $state.raw<OpenMenu>();
  /** The text that was selected when the pointer went down: some systems select a word then. */
  #selected: Range | undefined;

  open(menu: MenuOf, at: DOMRect): void {
    if (menu.groups().length === 0) return;
    const { label, groups, focus } = menu;
    const onreturn = (): void => focus?.focus({ preventScroll: true });
    onreturn();
    this.opened = { label, groups, anchor: { getBoundingClientRect: () => at }, onreturn };
  }

  close(): void {
    this.opened = undefined;
  }

  /** Takes a right click on something, or the menu key; its own menu, if it has one, is kept shut. */
  take(event: MouseEvent | KeyboardEvent, menu: MenuOf): void {
    event.preventDefault();
    if (event instanceof KeyboardEvent) this.open(menu, under(event.target as Element));
    // Its key has opened it.
    else if (!this.opened) this.open(menu, new DOMRect(event.clientX, event.clientY));
  }

  /** The pointer went down: notes what is selected, and closes the menu that it is beside. */
  press({ target }: PointerEvent): void {
    this.#selected = selectedRange();
    if (!(target instanceof Element && target.closest("[role=menu]"))) this.close();
  }

  /** The selected text that is pointed at. */
  selectedAt({ clientX: x, clientY: y }: MouseEvent): Range | undefined {
    const boxes = [...(this.#selected?.getClientRects() ?? [])];
    const isAt = boxes.some(
      ({ left, right, top, bottom }) => x >= left && x <= right && y >= top && y <= bottom,
    );
    return isAt ? this.#selected : undefined;
  }

  /** True where a menu of the text that is pointed at goes before any other; a finger selects text by it. */
  isOfText(event: MouseEvent): boolean {
    const isByFinger = event instanceof PointerEvent && event.pointerType === "touch";
    return isByFinger || isTyping(event.target) || this.selectedAt(event) !== undefined;
  }
}

export const contextMenu = new ContextMenu();

/** The selected text outside of fields. */
export function selectedRange(): Range | undefined {
  const selection = getSelection();
  if (!selection || selection.isCollapsed || selection.rangeCount === 0) return undefined;
  return selection.getRangeAt(0).cloneRange();
}

/** A point at an element, under its beginning. */
function under(element: Element): DOMRect {
  const { left, right, bottom } = element.getBoundingClientRect();
  const isMirrored = getComputedStyle(element).direction === "rtl";
  return new DOMRect(isMirrored ? right - INSET : left + INSET, bottom);
}

const INSET = 24;

/** Opens the menu that `find` knows of what is pointed at, or has the focus. */
export function hasMenus(
  find: (target: Element) => MenuOf | undefined,
): (element: HTMLElement) => () => void {
  function take(event: MouseEvent | KeyboardEvent): void {
    if (event.defaultPrevented || !(event.target instanceof Element)) return;
    if (
      event instanceof KeyboardEvent
        ? !isMenuKey(event) || isTyping(event.target)
        : contextMenu.isOfText(event)
    )
      return;
    const menu = find(event.target);
    if (menu) contextMenu.take(event, menu);
  }
  return (element) => {
    element.addEventListener("contextmenu", take);
    element.addEventListener("keydown", take);
    return () => {
      element.removeEventListener("contextmenu", take);
      element.removeEventListener("keydown", take);
    };
  };
}
