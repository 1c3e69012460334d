type Described = {
  label: string;
  /** The keys that do the same, in words. */
  keys?: string;
  /** The same as a screen reader's attribute has it. */
  shortcut?: string | undefined;
  isGrave?: boolean;
  /** It does nothing at present. */
  isOff?: boolean;
  /** It is one of several of which one is chosen. */
  isChosen?: boolean;
};

/** An action in a menu. */
export type MenuDeed = Described & { run: () => void };

/** An entry of a menu: an action, or a menu of its own. */
export type MenuEntry = MenuDeed | (Described & { entries: MenuDeed[] });

/** The menu of something on the page. */
export type MenuOf = {
  /** Names the menu for those who do not see where it stands. */
  label: string;
  /** The entries, in groups, as they are now; none once there is nothing to do. */
  groups: () => MenuEntry[][];
  /** Has the focus before and after; without it, the element that has it. */
  focus?: HTMLElement | undefined;
};
