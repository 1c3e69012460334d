/** True while a dialog has the keyboard to itself. */
export const isDialogOpen = (): boolean => document.querySelector("[role=dialog]") !== null;
