/** The key that takes back one's newest edit; in a field it is the browser's own. */
export function isUndo({ key, ctrlKey, metaKey, shiftKey, altKey, target }: KeyboardEvent): boolean {
  return key.toLowerCase() === "z" && (ctrlKey || metaKey) && !shiftKey && !altKey && !isTyping(target);
}

/** Whether keys that go to `target` are somebody's text. */
export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && target.matches("input:not([type=radio]), textarea, [contenteditable]")
  );
}
