import { motion } from "../../shared/motion";

const TINT = [{ backgroundColor: "var(--tint)" }, {}];
const FADES = { duration: 1_200, easing: "ease-out" };

const shown = new WeakMap<Element, string>();

/** Tints an element for a moment when what it shows, `of`, is another than before. */
export function tinted(of: string): (element: HTMLElement) => void {
  return (element) => {
    const before = shown.get(element);
    shown.set(element, of);
    if (before !== undefined && before !== of && motion.isSeen) element.animate(TINT, FADES);
  };
}
