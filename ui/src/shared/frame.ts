/** While hidden there are no frames; what is shown elsewhere (the title) still has to follow. */
const HIDDEN_FRAME = 250;

/** Calls `paint` once before the next frame, however often it is asked to. */
export function oncePerFrame(paint: () => void): () => void {
  let frame: number | undefined;
  let timer: number | undefined;
  const run = (): void => {
    if (frame !== undefined) cancelAnimationFrame(frame);
    clearTimeout(timer);
    frame = timer = undefined;
    paint();
  };
  return () => {
    if (timer !== undefined) return;
    // A page that is hidden before its next frame does not get it.
    timer = window.setTimeout(run, HIDDEN_FRAME);
    if (!document.hidden) frame = requestAnimationFrame(run);
  };
}
