import { tick } from "svelte";
import { isFocusLost } from "../../shared/typing";
import { places } from "../../state/places.svelte";

/** A press that moves less than this is a click. */
const SLACK = 6;

/** Runs of a list are put elsewhere in it: by dragging them, and with Alt and an arrow key. */
export function putByHand(list: HTMLElement): () => void {
  const listening = new AbortController();
  const { signal } = listening;
  list.addEventListener("pointerdown", (event) => begin(list, event), { signal });
  // Links are dragged out of the page otherwise.
  list.addEventListener("dragstart", (event) => event.preventDefault(), { signal });
  list.addEventListener("keydown", (event) => onKeydown(list, event), { signal });
  return () => listening.abort();
}

const idOf = ({ dataset }: HTMLElement): string => dataset.run ?? "";

function runsIn(list: HTMLElement): HTMLElement[] {
  return [...list.querySelectorAll<HTMLElement>(":scope > [data-run]")];
}

function runAt(list: HTMLElement, element: Element | null): HTMLElement | undefined {
  return runsIn(list).find((run) => element !== null && run.contains(element));
}

/** Puts one where another is; those between make room. */
function put(list: HTMLElement, id: string, to: number): void {
  const ids = runsIn(list).map(idOf);
  const others = ids.filter((each) => each !== id);
  others.splice(Math.max(0, Math.min(to, others.length)), 0, id);
  if (others.some((each, at) => each !== ids[at])) places.put(others);
}

function onKeydown(list: HTMLElement, event: KeyboardEvent): void {
  const by = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
  const run = runAt(list, event.target as Element);
  if (by === undefined || !run || !event.altKey || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  event.stopPropagation();
  put(list, idOf(run), runsIn(list).indexOf(run) + by);
  // An element that is put elsewhere in the document loses the focus.
  const link = document.activeElement;
  void keepFocus(link);
}

async function keepFocus(link: Element | null): Promise<void> {
  await tick();
  if (link instanceof HTMLElement && isFocusLost()) link.focus({ preventScroll: true });
}

function begin(list: HTMLElement, event: PointerEvent): void {
  const target = event.target as Element;
  const run = runAt(list, target);
  // A finger scrolls.
  if (!run || event.button !== 0 || event.pointerType === "touch") return;
  if (target.closest("button, input, select, [role=menu]")) return;
  const { clientX, clientY } = event;
  const id = idOf(run);
  const before = runsIn(list).map(idOf);
  let isMoving = false;
  const following = new AbortController();
  const { signal } = following;
  const end = (): void => {
    following.abort();
    delete list.dataset.putting;
    if (isMoving) window.addEventListener("click", refuse, { capture: true, once: true });
    setTimeout(() => window.removeEventListener("click", refuse, { capture: true }));
  };
  const follow = (at: PointerEvent): void => {
    if (!isMoving && Math.hypot(at.clientX - clientX, at.clientY - clientY) < SLACK) return;
    isMoving = true;
    list.dataset.putting = id;
    const over = runAt(list, document.elementFromPoint(at.clientX, at.clientY));
    if (over) put(list, id, runsIn(list).indexOf(over));
  };
  window.addEventListener("pointermove", follow, { signal });
  window.addEventListener("pointerup", end, { signal });
  window.addEventListener("pointercancel", end, { signal });
  window.addEventListener(
    "keydown",
    (key) => {
      if (key.key !== "Escape") return;
      key.preventDefault();
      key.stopPropagation();
      if (isMoving) places.put(before);
      end();
    },
    { signal, capture: true },
  );
}

/** The release of what was dragged is no click on it. */
function refuse(event: MouseEvent): void {
  event.preventDefault();
  event.stopPropagation();
}
