/** While hidden there are no frames; what is shown elsewhere (the title) still has to follow. */
const HIDDEN_FRAME = 250;

/** Calls `paint` once before the next frame, however often it is asked to. */
export function oncePerFrame(paint: () => void): () => void {
  let asked = false;
  const run = (): void => {
    asked = false;
    paint();
  };
  return () => {
    if (asked) return;
    asked = true;
    if (document.hidden) setTimeout(run, HIDDEN_FRAME);
    else requestAnimationFrame(run);
  };
}
