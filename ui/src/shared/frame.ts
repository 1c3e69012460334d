/** While hidden there are no frames; what is shown elsewhere (the title) still has to follow. */
const HIDDEN_FRAME = 250;

/** Calls `paint` with its time once before the next frame, however often it is asked to. */
export function oncePerFrame(paint: (time: number) => void): () => void {
  let frame: number | undefined;
  let timer: number | undefined;
  const run = (time: number): void => {
    if (frame !== undefined) cancelAnimationFrame(frame);
    clearTimeout(timer);
    frame = timer = undefined;
    paint(time);
  };
  return () => {
    if (timer !== undefined) return;
    // A page that is hidden before its next frame does not get it.
    timer = window.setTimeout(() => run(performance.now()), HIDDEN_FRAME);
    if (!document.hidden) frame = requestAnimationFrame(run);
  };
}
