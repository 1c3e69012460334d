import type { Backend } from "./backend";
import { takeToken } from "./token";

/** The shell where there is one, else the gateway that served the page; nothing where the page has no token. */
export async function chooseBackend(): Promise<Backend | undefined> {
  if ("__TAURI_INTERNALS__" in window) {
    const { tauriBackend } = await import("./tauri");
    return tauriBackend();
  }
  const token = takeToken();
  if (!token) return undefined;
  const { socketBackend } = await import("./socket");
  return socketBackend(token);
}
