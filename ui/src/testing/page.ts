import { render, screen, within } from "@testing-library/svelte";
import { vi } from "vitest";
import Window from "../Window.svelte";
import { Desk } from "./desk";
import { edit, item, session } from "./samples";

/** What the browser of the tests does not have. */
export function stubBrowser(): void {
  vi.stubGlobal(
    "IntersectionObserver",
    class {
      observe() {}
      disconnect() {}
    },
  );
  Element.prototype.animate ??= (() => ({})) as never;
  Element.prototype.scrollIntoView ??= () => {};
}

export function steps() {
  return [
    item("a", "completed"),
    item("b", "in_progress", { activeForm: "Doing b", priority: "high", subtasks: [item("b1")] }),
    item("c", "pending", { origin: "user" }),
  ];
}

export async function openSession(sessionId = "s", todos = steps(), more = {}): Promise<Desk> {
  const desk = new Desk([session(sessionId, todos, { edits: [edit("c")], ...more })]);
  location.hash = `#/session/${sessionId}`;
  render(Window, { backend: desk });
  await screen.findByRole("heading", { name: `Title of ${sessionId}` });
  return desk;
}

export const rows = (): HTMLElement[] =>
  within(screen.getByRole("list", { name: "Steps" })).getAllByRole("listitem");
export const shown = (): (string | undefined)[] => rows().map((row) => row.dataset.uid);
export const lastCall = (desk: Desk) => desk.calls.at(-1);
