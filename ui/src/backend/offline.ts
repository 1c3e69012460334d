/**
 * Has the browser keep the shell that it shows while the gateway cannot be reached. Beyond this machine only: on loopback
 * another program may have the port tomorrow, and the shell of one would stand before the page of the other.
 */
export function keepShell(): void {
  if (location.protocol !== "https:" || !("serviceWorker" in navigator)) return;
  // A browser that keeps nothing has the page all the same.
  navigator.serviceWorker.register("/sw.js").catch(() => undefined);
}
