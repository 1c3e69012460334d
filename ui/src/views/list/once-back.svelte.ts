import { untrack } from "svelte";
import { m } from "../../paraglide/messages";
import { useGateway } from "../../state/context";

/**
 * Clears the failure under a field once the gateway is back, where it was that the gateway was gone: what was typed is
 * still there. Any other failure stays, also that an answer did not come: the edit may have been made.
 */
export function clearOnceBack(failure: () => string | undefined, clear: () => void): void {
  const gateway = useGateway();
  let wasLost = false;
  $effect(() => {
    const isBack = wasLost && gateway.link === "connected";
    wasLost = gateway.link !== "connected";
    if (isBack && untrack(failure) === m.common_gone()) clear();
  });
}
