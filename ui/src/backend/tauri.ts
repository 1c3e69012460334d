import { Channel, invoke } from "@tauri-apps/api/core";
import { COMMANDS } from "../protocol/types";
import { toFailure, type Backend, type Message } from "./backend";

/** The shell's IPC. It holds the connection and mends it; we only listen. */
export function tauriBackend(): Backend {
  return {
    async call(type, fields) {
      try {
        return await invoke(COMMANDS[type], { request: { ...fields } });
      } catch (thrown) {
        throw toFailure(thrown);
      }
    },

    follow(onMessage) {
      let open = true;
      const channel = new Channel<Message>();
      // oxlint-disable-next-line unicorn/prefer-add-event-listener
      channel.onmessage = (message) => {
        if (open) onMessage(message);
      };
      invoke("events_open", { channel }).catch((thrown: unknown) => {
        if (!open) return;
        onMessage({ type: "gateway.state", state: "disconnected", message: toFailure(thrown).message });
      });
      return () => {
        open = false;
      };
    },
  };
}
