import { m } from "../../paraglide/messages";
import type { ActionId } from "../../state/actions.svelte";
import type { Chord } from "./chords";

/** Keys, and what they do. */
export type Binding = {
  words: () => string;
  chords: readonly Chord[];
  /** Those that a browser has another use for, so that they are ours only in the desktop's window. */
  desktop?: readonly Chord[];
  /** The action. A binding without one is answered where it belongs: in a list's row, in a dialog. */
  action?: ActionId;
  /** Also while something is typed: keys that type nothing. */
  inFields?: true;
  /** Also in a field with nothing in it. */
  inEmptyFields?: true;
};

export type Group = { id: string; title: () => string; isDesktop?: true; bindings: readonly Binding[] };

/** Every key of the window. The handlers and the map of the keyboard go by it. */
export const TABLE: readonly Group[] = [
  {
    id: "pages",
    title: m.keys_group_pages,
    bindings: [
      page("now", m.keys_now, "g n", "Mod+1"),
      page("needs", m.keys_needs, "g e", "Mod+2"),
      page("history", m.keys_history, "g h", "Mod+3"),
      page("agents", m.keys_agents, "g a", "Mod+4"),
      page("settings", m.keys_settings, "g s", "Mod+Comma"),
      page("chat", m.keys_chat, "g t", "Mod+T"),
      page("compact", m.keys_compact, "g c", "Mod+Shift+M"),
      page("previous", m.keys_previous, "[", "Mod+["),
      page("next", m.keys_next, "]", "Mod+]"),
      { words: m.keys_back, chords: ["Escape"] },
    ],
  },
  {
    id: "everywhere",
    title: m.keys_group_everywhere,
    bindings: [
      { words: m.keys_palette, chords: ["Mod+K"], desktop: ["Mod+F"], action: "palette", inFields: true },
      { words: m.keys_commands, chords: ["/"], action: "commands" },
      { words: m.keys_undo, chords: ["Mod+Z"], action: "undo", inEmptyFields: true },
      { words: m.keys_redo, chords: ["Mod+Shift+Z"], action: "redo", inEmptyFields: true },
      { words: m.keys_map, chords: ["?"], desktop: ["Mod+/"], action: "keys", inFields: true },
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
    bindings: [
      { words: m.keys_add, chords: ["n"], desktop: ["Mod+N"], action: "new-step", inFields: true },
      { words: m.keys_tell, chords: ["t"], action: "tell" },
      {
        words: m.keys_copy,
        chords: ["k"],
        desktop: ["Mod+Shift+C"],
        action: "copy-markdown",
        inFields: true,
      },
    ],
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
      desktop("zoom-in", m.keys_zoom_in, "Mod+Plus"),
      desktop("zoom-out", m.keys_zoom_out, "Mod+Minus"),
      desktop("zoom-reset", m.keys_zoom_reset, "Mod+0"),
      desktop("fullscreen", m.keys_fullscreen, "F11"),
      desktop("close", m.keys_close, "Mod+W"),
      desktop("quit", m.keys_quit, "Mod+Q"),
    ],
  },
];

function page(action: ActionId, words: () => string, chord: Chord, ours: Chord): Binding {
  return { action, words, chords: [chord], desktop: [ours], inFields: true };
}

function desktop(action: ActionId, words: () => string, chord: Chord): Binding {
  return { action, words, chords: [], desktop: [chord], inFields: true };
}

/** The keys of a binding as they are here; those of the desktop's window first, which its menus show as well. */
export function chordsOf({ chords, desktop: ours = [] }: Binding, isDesktop: boolean): Chord[] {
  return isDesktop ? [...ours, ...chords] : [...chords];
}

/** The keys that do something. */
export function chordsFor(action: ActionId, isDesktop: boolean): Chord[] {
  const binding = TABLE.flatMap(({ bindings }) => bindings).find((each) => each.action === action);
  return binding ? chordsOf(binding, isDesktop) : [];
}
