/** Puts text on the clipboard; false where nothing lets us. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

/** The same with a text that is still asked for: the clipboard has to be taken while the user's key or click counts. */
export async function copyAnswer(text: Promise<string>): Promise<boolean> {
  if (typeof ClipboardItem === "function" && typeof navigator.clipboard?.write === "function") {
    try {
      const blob = text.then((answer) => new Blob([answer], { type: "text/plain" }));
      await navigator.clipboard.write([new ClipboardItem({ "text/plain": blob })]);
      return true;
    } catch {
      // Without an answer the next line says why; else there is another way.
    }
  }
  return copyText(await text);
}

/** For WebKitGTK, and for pages that are not secure contexts: there is no clipboard, or it is closed. */
function copyBySelection(text: string): boolean {
  const focused = document.activeElement;
  const field = document.createElement("textarea");
  field.value = text;
  field.readOnly = true;
  field.className = "hidden";
  document.body.append(field);
  field.select();
  try {
    return document.execCommand("copy");
  } catch {
    return false;
  } finally {
    field.remove();
    if (focused instanceof HTMLElement) focused.focus({ preventScroll: true });
  }
}
