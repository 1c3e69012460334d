import { m } from "../../paraglide/messages";
import type { ActionId } from "../../state/actions.svelte";
import { KEYS, type Keys } from "./actions";
import type { Chord } from "./chords";

/** Keys, and what they do. One without an action is answered where it belongs: in a list's row, in a dialog. */
export type Binding = Keys & { words: () => string; action?: ActionId };

export type Group = { id: string; title: () => string; isDesktop?: true; bindings: readonly Binding[] };

/** Every key of the window, as the map of the keyboard and the palette have it; the handlers go by the same keys. */
export const table = (): readonly Group[] => [
  {
    id: "pages",
    title: m.keys_group_pages,
    bindings: [
      acts("now", m.keys_now),
      acts("needs", m.keys_needs),
      acts("history", m.keys_history),
      acts("agents", m.keys_agents),
      acts("settings", m.keys_settings),
      acts("chat", m.keys_chat),
      acts("compact", m.keys_compact),
      acts("previous", m.keys_previous),
      acts("next", m.keys_next),
      { words: m.keys_back, chords: ["Escape"] },
    ],
  },
  {
    id: "everywhere",
    title: m.keys_group_everywhere,
    bindings: [
      acts("palette", m.keys_palette),
      acts("commands", m.keys_commands),
      acts("undo", m.keys_undo),
      acts("redo", m.keys_redo),
      acts("keys", m.keys_map),
    ],
  },
  {
    id: "history",
    title: m.keys_group_history,
    bindings: [
      { words: m.keys_history_search, chords: ["/"] },
      { words: m.keys_history_go, chords: ["ArrowUp", "ArrowDown"] },
      { words: m.keys_history_open, chords: ["Enter"] },
      { words: m.keys_history_pick, chords: ["x"] },
      { words: m.keys_history_pick_more, chords: ["Shift+ArrowUp", "Shift+ArrowDown"] },
      { words: m.keys_history_delete, chords: ["Delete"] },
      { words: m.keys_card_menu, chords: ["Shift+F10"] },
    ],
  },
  {
    id: "past",
    title: m.keys_group_past,
    bindings: [
      { words: m.keys_past_one, chords: ["ArrowLeft", "ArrowRight"] },
      { words: m.keys_past_ten, chords: ["PageUp", "PageDown"] },
      { words: m.keys_past_ends, chords: ["Home", "End"] },
      { words: m.keys_past_now, chords: ["Escape"] },
    ],
  },
  {
    id: "session",
    title: m.keys_group_session,
    bindings: [acts("new-step", m.keys_add), acts("tell", m.keys_tell), acts("copy-markdown", m.keys_copy)],
  },
  {
    id: "chat",
    title: m.keys_group_chat,
    bindings: [
      { words: m.keys_chat_send, chords: ["Enter"] },
      { words: m.keys_chat_line, chords: ["Shift+Enter"] },
      { words: m.keys_chat_stop, chords: ["Escape"] },
    ],
  },
  {
    id: "palette",
    title: m.keys_group_palette,
    bindings: [
      { words: m.keys_palette_go, chords: ["ArrowUp", "ArrowDown"] },
      { words: m.keys_palette_take, chords: ["Enter"] },
      { words: m.keys_palette_complete, chords: ["Tab"] },
      { words: m.keys_palette_close, chords: ["Escape"] },
    ],
  },
  {
    id: "step",
    title: m.keys_group_step,
    bindings: [
      { words: m.keys_step_go, chords: ["ArrowUp", "ArrowDown"] },
      { words: m.keys_step_status, chords: ["Space"] },
      { words: m.keys_step_text, chords: ["Enter"] },
      { words: m.keys_step_priority, chords: ["p"] },
      { words: m.keys_step_details, chords: ["i", "ArrowRight"] },
      { words: m.keys_step_close, chords: ["ArrowLeft"] },
      { words: m.keys_step_select, chords: ["Shift+ArrowUp", "Shift+ArrowDown"] },
      { words: m.keys_step_move, chords: ["Alt+ArrowUp", "Alt+ArrowDown"] },
      { words: m.keys_step_after, chords: ["o"] },
      { words: m.keys_step_before, chords: ["Shift+O"] },
      { words: m.keys_step_remove, chords: ["Delete"] },
      { words: m.keys_card_menu, chords: ["Shift+F10"] },
    ],
  },
  {
    id: "need",
    title: m.keys_group_need,
    bindings: [
      { words: m.keys_need_go, chords: ["ArrowUp", "ArrowDown"] },
      { words: m.keys_need_allow, chords: ["a"] },
      { words: m.keys_need_deny, chords: ["d"] },
      { words: m.keys_need_message, chords: ["m"] },
      { words: m.keys_need_dismiss, chords: ["x"] },
      { words: m.keys_need_open, chords: ["o"] },
      { words: m.keys_card_menu, chords: ["Shift+F10"] },
    ],
  },
  {
    id: "card",
    title: m.keys_group_card,
    bindings: [
      { words: m.keys_card_go, chords: ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"] },
      { words: m.keys_card_put, chords: ["Alt+ArrowUp", "Alt+ArrowDown", "Alt+ArrowLeft", "Alt+ArrowRight"] },
      { words: m.keys_card_open, chords: ["Enter"] },
      { words: m.keys_card_pin, chords: ["p"] },
      { words: m.keys_card_mute, chords: ["m"] },
      { words: m.order_edit_tags, chords: ["h"] },
      { words: m.keys_card_share, chords: ["l"] },
      { words: m.keys_card_dismiss, chords: ["x"] },
      { words: m.now_go_terminal, chords: ["w"] },
      { words: m.now_open_folder, chords: ["o"] },
      { words: m.now_open_terminal, chords: ["t"] },
      { words: m.now_open_editor, chords: ["e"] },
      { words: m.now_copy_resume, chords: ["c"] },
      { words: m.now_copy_list, chords: ["k"] },
      { words: m.keys_card_menu, chords: ["Shift+F10"] },
    ],
  },
  {
    id: "window",
    title: m.keys_group_window,
    isDesktop: true,
    bindings: [
      acts("zoom-in", m.keys_zoom_in),
      acts("zoom-out", m.keys_zoom_out),
      acts("zoom-reset", m.keys_zoom_reset),
      acts("fullscreen", m.keys_fullscreen),
      acts("close", m.keys_close),
      acts("quit", m.keys_quit),
    ],
  },
];

function acts(action: keyof typeof KEYS, words: () => string): Binding {
  return { ...KEYS[action], action, words };
}

/** The keys of a binding as they are here; those of the desktop's window first, which its menus show as well. */
export function chordsOf({ chords, desktop: ours = [] }: Binding, isDesktop: boolean): Chord[] {
  return isDesktop ? [...ours, ...chords] : [...chords];
}

/** The keys that do something. */
export function chordsFor(action: ActionId, isDesktop: boolean): Chord[] {
  const binding = table()
    .flatMap(({ bindings }) => bindings)
    .find((each) => each.action === action);
  return binding ? chordsOf(binding, isDesktop) : [];
}
