import { Channel, invoke } from "@tauri-apps/api/core";
import { listen } from "@tauri-apps/api/event";
import { getLocale } from "../paraglide/runtime";
import { COMMANDS } from "../protocol/types";
import { toFailure, type Backend, type Message } from "./backend";
import type { Shell, ShellAction, ShellInfo } from "./shell";

/** The shell's IPC. It holds the connection and mends it; we only listen. */
export function tauriBackend(): Backend {
  // Menus, tray and notifications speak as the page does.
  void invoke("window_language", { language: getLocale() });
  return {
    shell: tauriShell,

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

const tauriShell: Shell = {
  info: () => invoke<ShellInfo>("shell_info"),
  compact: (on, more) => invoke("window_compact", { on, ...more }),
  act: (action) => invoke("window_do", { action }),
  testNotification: (sound) => invoke("notify_test", { sound }),
  listen(onInfo, onAction) {
    const ends = [
      listen<ShellInfo>("shell://changed", ({ payload }) => onInfo(payload)),
      listen<ShellAction>("shell://action", ({ payload }) => onAction(payload)),
    ];
    return () => {
      for (const end of ends) void end.then((stop) => stop());
    };
  },
};
