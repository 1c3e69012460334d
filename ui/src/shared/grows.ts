/** Where the browser cannot do that itself: makes a field as high as its text. */
const CAN_BROWSER = typeof CSS !== "undefined" && CSS.supports?.("field-sizing", "content");

export function grow(area: HTMLTextAreaElement): void {
  if (CAN_BROWSER) return;
  area.style.height = "auto";
  area.style.height = `${area.scrollHeight + area.offsetHeight - area.clientHeight}px`;
}
