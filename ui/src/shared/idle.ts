/** Does something when there is nothing else to do, and soon after the first paint where the browser cannot tell. */
export function whenIdle(act: () => void): () => void {
  // WebKit has no such callback.
  if (!("requestIdleCallback" in window)) {
    const timer = setTimeout(act, 300);
    return () => clearTimeout(timer);
  }
  const asked = requestIdleCallback(act, { timeout: 2_000 });
  return () => cancelIdleCallback(asked);
}
