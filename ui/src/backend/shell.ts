/** Something that the system was asked for, and what it made of that. */
export type Wish = { state: "off" } | { state: "on" } | { state: "refused"; message: string };

/** The abilities of the desktop's shell, and the state of its window. */
export type ShellInfo = {
  platform: "linux" | "macos" | "windows";
  version: string;
  /** A tray shows our icon. */
  tray: boolean;
  shortcut: Wish;
  startAtLogin: Wish;
  compact: boolean;
  /** 1 is 100 %. */
  zoom: number;
  menuBar: boolean;
  /** The native menu takes the keys that it shows; the page then leaves them alone. */
  nativeKeys: boolean;
};

/** An action that is chosen in a native menu and done by the page. */
export type ShellAction =
  | "new-step"
  | "copy-markdown"
  | "undo"
  | "redo"
  | "find"
  | "palette"
  | "previous"
  | "next"
  | "tell"
  | "keys"
  | "guide"
  | `mark-${"completed" | "in_progress" | "pending" | "blocked" | "skipped" | "cancelled"}`
  | `theme-${"system" | "light" | "dark"}`;

/** Edits of the focused text that the shell makes, as a page cannot paste by itself; only on Linux. */
export type TextDeed = "cut" | "copy" | "paste" | "select-all";

export type WindowDeed = "close" | "quit" | "hide" | "fullscreen" | "zoom-in" | "zoom-out" | "zoom-reset";

/** The desktop's window around the page; in a browser there is none. */
export interface Shell {
  info(): Promise<ShellInfo>;
  /** Makes the window the strip, as high as that, or what it was before. */
  compact(on: boolean, more?: { height?: number; route?: string }): Promise<void>;
  act(deed: WindowDeed | TextDeed): Promise<void>;
  /** Shows a notification, to see and hear whether there are any; refused where the system refuses it. */
  testNotification(sound: boolean): Promise<void>;
  /** Hears what changes and what is chosen in menus; returns what ends that. */
  listen(onInfo: (info: ShellInfo) => void, onAction: (action: ShellAction) => void): () => void;
}
