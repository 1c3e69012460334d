/** Attributes of fields in which nothing is completed or corrected. */
export const AS_TYPED = { autocomplete: "off", autocapitalize: "off", spellcheck: false } as const;

/** Those of fields for paths, commands and the like. */
export const CODE = { dir: "ltr", ...AS_TYPED } as const;

/** Those of a line with a list of its own below it, which keeps the focus while the list is gone through. */
export const LINE_OVER_LIST = {
  type: "text",
  role: "combobox",
  "aria-autocomplete": "list",
  ...AS_TYPED,
} as const;

/** True if letters that go to `target` are somebody's text, or pick something in it. */
export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    target.matches("input:not([type=range]), textarea, [role=combobox], [contenteditable]")
  );
}

/** True if a field has nothing in it that the browser could take back. */
export function isEmptyField(target: EventTarget | null): boolean {
  return (target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement) && target.value === "";
}

export function isFocusLost(): boolean {
  return document.activeElement === null || document.activeElement === document.body;
}

const DEEDS = {
  i: "details",
  ArrowRight: "enter",
  ArrowLeft: "leave",
  Delete: "remove",
  Backspace: "remove",
  " ": "status",
  Enter: "edit",
  F2: "edit",
  p: "priority",
  O: "insert",
  o: "insertAfter",
} as const;

/** The action of a key on the row that has the focus. */
export function deedOf({ key }: KeyboardEvent): (typeof DEEDS)[keyof typeof DEEDS] | undefined {
  return Object.hasOwn(DEEDS, key) ? DEEDS[key as keyof typeof DEEDS] : undefined;
}
