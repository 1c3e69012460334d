/** Whether keys that go to `target` are somebody's text. */
export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && target.matches("input:not([type=radio]), textarea, [contenteditable]")
  );
}
