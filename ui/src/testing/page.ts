import { render, screen } from "@testing-library/svelte";
import type { UserEvent } from "@testing-library/user-event";
import { afterEach, beforeAll, beforeEach, expect, vi } from "vitest";
import type { Rights, SessionTodos } from "../protocol/types";
import { fetchAll } from "../shared/part.svelte";
import Window from "../window/Window.svelte";
import { builtIn } from "./chat";
import { Desk } from "./desk";
import { edit, item, session } from "./samples";

/**
 * For a file of tests that show pages: each begins at the first page, with every part of the window there, and finds
 * nothing that another one kept.
 */
export function withBrowser(): void {
  beforeAll(fetchAll);
  beforeEach(stubBrowser);
  afterEach(() => {
    location.hash = "#/";
    sessionStorage.clear();
    localStorage.clear();
  });
}

/** Parts of a browser that the tests' one does not have. */
function stubBrowser(): void {
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

export async function openSession(
  sessionId = "s",
  todos = steps(),
  more = {},
  rights?: Rights,
): Promise<Desk> {
  const desk = new Desk([session(sessionId, todos, { edits: [edit("c")], ...more })]);
  desk.rights = rights;
  location.hash = `#/session/${sessionId}`;
  render(Window, { backend: desk });
  await screen.findByRole("heading", { name: `Title of ${sessionId}` });
  return desk;
}

export const rows = (): HTMLElement[] => [
  ...screen.getByRole("list", { name: "Steps" }).querySelectorAll<HTMLElement>(":scope > [data-uid]"),
];
export const row = (uid: string): HTMLElement =>
  rows().find(({ dataset }) => dataset.uid === uid) as HTMLElement;
export const shown = (): (string | undefined)[] => rows().map(({ dataset }) => dataset.uid);
export const lastCall = (desk: Desk) => desk.calls.at(-1);
/** The newest that asked for a change; what is shown asks as well. */
export const lastChange = (desk: Desk) => desk.calls.findLast(({ type }) => type !== "session.revisions");

/** Opens a field that offers several ways and takes one of them. */
export async function select(user: UserEvent, field: HTMLElement, name: string): Promise<void> {
  await user.click(field);
  await user.click(await screen.findByRole("option", { name }));
}

/** True if a switch is on, or one of several ways is chosen. */
export const isChecked = (control: HTMLElement): boolean => control.getAttribute("aria-checked") === "true";

/** A desk with that conversation in session `s`, opened; `prepare` says before what is in it. */
export async function openTalk(
  more: Partial<SessionTodos> = {},
  prepare: (desk: Desk) => void = () => {},
): Promise<Desk> {
  const desk = new Desk([builtIn("s", more)]);
  desk.chat.open("s");
  prepare(desk);
  await openConversation(desk);
  return desk;
}

/** Opens the conversation of session `s` and waits until it is there; gives what leaves it. */
export async function openConversation(desk: Desk): Promise<() => void> {
  location.hash = "#/session/s";
  const { unmount } = render(Window, { backend: desk });
  await screen.findByRole("region", { name: "List" });
  await vi.waitFor(() => expect(screen.queryByText("Loading the conversation…")).toBeNull());
  return unmount;
}
