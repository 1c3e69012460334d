import { motion } from "../../shared/motion";

const TINT = [{}, { backgroundColor: "var(--tint)", offset: 0.25 }, {}];
const FADES = { duration: 1_600, easing: "ease-in-out" };

/** So many fade at once: of more nobody could follow one, and all would only flicker. */
const AT_ONCE = 3;

const shown = new WeakMap<Element, string>();
let fading = 0;

/** Tints an element softly for a moment when what it shows, `of`, is another than before. */
export function tinted(of: string): (element: HTMLElement) => void {
  return (element) => {
    const before = shown.get(element);
    shown.set(element, of);
    if (before === undefined || before === of || !motion.isSeen || fading >= AT_ONCE) return;
    fading += 1;
    const over = (): void => {
      fading -= 1;
    };
    element.animate(TINT, FADES).finished.then(over, over);
  };
}
