import type { Backend } from "./backend";
import { socketBackend } from "./socket";
import { tauriBackend } from "./tauri";
import { takeToken } from "./token";

/** The shell where there is one, else the gateway that served the page; nothing where the page has no token. */
export function chooseBackend(): Backend | undefined {
  // Both are here from the start: to fetch one first would hold the first paint up.
  if ("__TAURI_INTERNALS__" in window) return tauriBackend();
  const token = takeToken();
  return token ? socketBackend(token) : undefined;
}
