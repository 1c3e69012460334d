import { cleanup, fireEvent, render, screen, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";
import type { Shell } from "../backend/shell";
import { Desk } from "../testing/desk";
import { isChecked, openSession, row, shown, steps, withBrowser } from "../testing/page";
import { edit, item, need, session } from "../testing/samples";
import { parts } from "./parts";
import Window from "./Window.svelte";

const user = userEvent.setup();

withBrowser();

beforeEach(() => {
  Range.prototype.getClientRects = () => [new DOMRect(0, 0, 200, 20)] as unknown as DOMRectList;
});

/** False if the browser's own menu is kept shut. */
async function rightClick(element: Element): Promise<boolean> {
  await fireEvent.pointerDown(element, { button: 2 });
  return fireEvent.contextMenu(element, { button: 2, clientX: 10, clientY: 10 });
}

const entries = (menu: HTMLElement): string[] =>
  within(menu)
    .getAllByRole("menuitem")
    .map((entry) => entry.querySelector(".rest")?.textContent ?? "");

/** The menu of something, once it has the focus. */
async function menuOf(name: string): Promise<HTMLElement> {
  const menu = await screen.findByRole("menu", { name: `Actions for ${name}` });
  await vi.waitFor(() => expect(menu.contains(document.activeElement)).toBe(true));
  return menu;
}

async function choose(name: string): Promise<void> {
  await user.click(await screen.findByRole("menuitem", { name }));
}

const shell: Shell = {
  info: async () => ({ platform: "linux" }) as Awaited<ReturnType<Shell["info"]>>,
  compact: async () => {},
  testNotification: async () => {},
  act: async () => {},
  listen: () => () => {},
};

test("what is struck before the menu is fetched seeks an entry in it, and does nothing to the step", async () => {
  const desk = await openSession();
  const { here } = parts.contextMenu;
  parts.contextMenu.here = undefined;
  row("c").focus();
  await user.keyboard("{Shift>}{F10}{/Shift}in{Delete}");
  parts.contextMenu.here = here;
  await menuOf("Step c");
  await vi.waitFor(() => expect(document.activeElement?.textContent).toContain("Insert step above"));
  expect(desk.calls.map(({ type }) => type)).not.toContain("todo.delete");
  await user.keyboard("{Escape}");
  await vi.waitFor(() => expect(document.activeElement).toBe(row("c")));
});

test("an entry that the pointer leaves only when its window is gone asks for nothing that went with it", async () => {
  const warned = vi.spyOn(console, "warn");
  await openSession();
  await rightClick(row("c"));
  await choose("Move up");
  await vi.waitFor(() => expect(screen.queryByRole("menu")).toBeNull());
  cleanup();
  await openSession("t");
  await rightClick(row("c"));
  await choose("Move up");
  expect(warned.mock.calls.flat().join(" ")).not.toContain("derived_inert");
});

test("the menu of a step has what its buttons, keys and details do", async () => {
  const desk = await openSession();
  expect(await rightClick(row("c"))).toBe(false);
  expect(entries(await menuOf("Step c"))).toEqual([
    "Status",
    "Priority",
    "Edit text",
    "Details",
    "Insert step above",
    "Insert step below",
    "Move up",
    "Move down",
    "Indent",
    "Delete step",
  ]);
  expect(screen.getByRole("menuitem", { name: "Move down" }).getAttribute("aria-disabled")).toBe("true");
  await choose("Move up");
  await vi.waitFor(() => expect(shown()).toEqual(["a", "c", "b", "b1"]));
  expect(screen.queryByRole("menu")).toBeNull();
  expect(document.activeElement).toBe(row("c"));

  await rightClick(row("b1"));
  await user.click(await screen.findByRole("menuitem", { name: "Status" }));
  const status = await screen.findByRole("menu", { name: "Status" });
  expect(within(status).getAllByRole("menuitemradio").filter(isChecked)).toHaveLength(1);
  await user.click(within(status).getByRole("menuitemradio", { name: "blocked" }));
  await vi.waitFor(() => expect(row("b1").dataset.status).toBe("blocked"));

  await rightClick(row("a"));
  await choose("Insert step below");
  expect(await screen.findByRole("textbox", { name: "Insert a step at 2" })).toBeTruthy();
  await rightClick(row("a"));
  await choose("Delete step");
  await vi.waitFor(() => expect(shown()).toEqual(["c", "b", "b1"]));
  expect(desk.calls.filter(({ type }) => type === "todo.delete")).toHaveLength(1);
});

test("the menu key opens the same menu of a step, and Escape leads back to it", async () => {
  await openSession();
  row("b").focus();
  await user.keyboard("{Shift>}{F10}{/Shift}");
  await menuOf("Step b");
  await vi.waitFor(() => expect(document.activeElement?.textContent).toContain("Status"));
  // Browsers tell of the key with an event of the pointer as well.
  expect(await fireEvent.contextMenu(row("b"), { button: 0 })).toBe(false);
  await user.keyboard("{ArrowDown}{ArrowDown}{Enter}");
  const field = await screen.findByRole("textbox", { name: "Text of step 2" });
  expect(document.activeElement).toBe(field);
  await user.keyboard("{Escape}{ContextMenu}");
  await menuOf("Step b");
  await user.keyboard("{Escape}");
  await vi.waitFor(() => expect(screen.queryByRole("menu")).toBeNull());
  expect(document.activeElement).toBe(row("b"));
});

test("the menu of steps that are selected acts on all of them, that of another on it alone", async () => {
  await openSession();
  row("a").focus();
  await user.keyboard("{Shift>}{ArrowDown}{/Shift}");
  await rightClick(row("a"));
  expect(entries(await menuOf("Step a"))).toEqual([
    "Set status",
    "Move up",
    "Move down",
    "Indent",
    "Outdent",
    "Clear selection",
    "Delete",
  ]);
  await user.keyboard("{Escape}");
  await rightClick(row("c"));
  await choose("Delete step");
  await vi.waitFor(() => expect(shown()).toEqual(["a", "b", "b1"]));
  await rightClick(row("b"));
  await choose("Delete");
  await vi.waitFor(() => expect(screen.queryByRole("list", { name: "Steps" })).toBeNull());
});

test("a step that the agent changed back can be sent again by its menu", async () => {
  const against = { edits: [edit("c", { editId: "e", kind: "set", state: "overridden" })] };
  const desk = await openSession("s", steps(), against);
  await rightClick(row("c"));
  await choose("Send again");
  expect(desk.calls.at(-1)).toMatchObject({ type: "edit.insist", fields: { editId: "e" } });
});

test("who may only look finds the details of a step in its menu", async () => {
  await openSession("s", steps(), {}, "look");
  await rightClick(row("a"));
  expect(entries(await menuOf("Step a"))).toEqual(["Details"]);
});

test("the menu of what needs the user settles it, puts it off and dismisses it", async () => {
  const blocked = session("b", [item("x", "blocked")], {
    needs: [need("blocked", { uid: "x", text: "Step x", since: "2026-11-20T13:00:00Z" })],
  });
  const desk = new Desk([blocked]);
  location.hash = "#/needs";
  render(Window, { backend: desk });
  const entry = (await screen.findByRole("button", { name: /^Unblock/ })).closest("li") as HTMLElement;
  expect(await rightClick(entry)).toBe(false);
  const menu = await screen.findByRole("menu");
  expect(entries(menu)).toEqual(["Open step", "Unblock", "Skip", "Open session", "Later", "Dismiss"]);
  await choose("Dismiss");
  await vi.waitFor(() => expect(desk.calls.at(-1)).toMatchObject({ type: "need.dismiss" }));
});

test("an entry of the rail has the menu of its session's card, in a browser as well", async () => {
  const desk = new Desk([session("s", steps())]);
  render(Window, { backend: desk });
  const rail = await screen.findByRole("list", { name: "Current sessions" });
  const link = await within(rail).findByRole("link");
  expect(await rightClick(link)).toBe(false);
  const byMouse = entries(await menuOf("project-s"));
  expect(byMouse[0]).toBe("Pin");
  await user.keyboard("{Escape}");
  await vi.waitFor(() => expect(screen.queryByRole("menu")).toBeNull());
  expect(document.activeElement).toBe(link);
  await user.keyboard("{ContextMenu}");
  expect(entries(await menuOf("project-s"))).toEqual(byMouse);
  await choose("Pin");
  await vi.waitFor(() =>
    expect(desk.calls.at(-1)).toMatchObject({ type: "session.mark", fields: { pinned: true } }),
  );
});

test("text that is selected has a menu to copy in the window, and the browser's own in a page", async () => {
  const desk = new Desk([session("s", steps())]);
  desk.shell = shell;
  const { unmount } = render(Window, { backend: desk });
  const heading = await screen.findByRole("heading", { name: "Now" });
  getSelection()?.selectAllChildren(heading);
  expect(await rightClick(heading)).toBe(false);
  expect(entries(await screen.findByRole("menu", { name: "Selected text" }))).toEqual(["Copy", "Select all"]);
  await choose("Copy");
  expect(await navigator.clipboard.readText()).toBe("Now");
  expect(String(getSelection())).toBe("Now");
  unmount();

  render(Window, { backend: new Desk([session("s", steps())]) });
  const again = await screen.findByRole("heading", { name: "Now" });
  getSelection()?.selectAllChildren(again);
  expect(await rightClick(again), "the browser's own").toBe(true);
  expect(screen.queryByRole("menu")).toBeNull();
});

test("a field has a menu that cuts, copies and pastes by the window", async () => {
  const act = vi.fn<Shell["act"]>(async () => {});
  const desk = new Desk([session("s", steps())]);
  desk.shell = { ...shell, act };
  location.hash = "#/session/s";
  render(Window, { backend: desk });
  const field = await screen.findByLabelText<HTMLInputElement>("Add a step");
  await vi.waitFor(async () => expect(await rightClick(field)).toBe(false));
  const menu = await screen.findByRole("menu", { name: "Text of the field" });
  expect(entries(menu)).toEqual(["Cut", "Copy", "Paste", "Select all"]);
  const isOff = (name: string): boolean =>
    within(menu).getByRole("menuitem", { name }).hasAttribute("data-disabled");
  expect([isOff("Cut"), isOff("Copy"), isOff("Paste")]).toEqual([true, true, false]);
  await choose("Paste");
  expect(act).toHaveBeenCalledExactlyOnceWith("paste");
  expect(document.activeElement).toBe(field);

  await user.type(field, "Prepare");
  field.select();
  await rightClick(field);
  await choose("Cut");
  expect(act).toHaveBeenLastCalledWith("cut");
});

/** The entries of the menu of a field that are off. */
async function offIn(field: HTMLInputElement): Promise<string[]> {
  document.querySelector("main")?.append(field);
  field.select();
  await vi.waitFor(async () => expect(await rightClick(field)).toBe(false));
  const menu = await screen.findByRole("menu", { name: "Text of the field" });
  const off = [...menu.querySelectorAll("[role=menuitem][data-disabled]")].map((entry) =>
    entry.textContent.trim(),
  );
  await user.keyboard("{Escape}");
  field.remove();
  return off.map((text) => text.replace(/Ctrl.*/, "").trim());
}

test("of a field that is read only one can copy alone, and a field of numbers, which tells no selection, can be cut", async () => {
  const desk = new Desk([session("s", steps())]);
  desk.shell = shell;
  render(Window, { backend: desk });
  await screen.findByRole("heading", { name: "Now" });
  const fixed = Object.assign(document.createElement("input"), { value: "sightline", readOnly: true });
  expect(await offIn(fixed)).toEqual(["Cut", "Paste"]);
  const number = Object.assign(document.createElement("input"), { type: "number", value: "12" });
  expect(await offIn(number)).toEqual([]);
});

test("a slider is no field: there is nothing in it to cut or to paste", async () => {
  const desk = new Desk([session("s", steps())]);
  desk.shell = shell;
  render(Window, { backend: desk });
  await screen.findByRole("heading", { name: "Now" });
  const slider = document.createElement("input");
  slider.type = "range";
  document.querySelector("main")?.append(slider);
  expect(await rightClick(slider)).toBe(false);
  expect(screen.queryByRole("menu")).toBeNull();
});

test("a field keeps the menu that can paste where the window cannot", async () => {
  const desk = new Desk([session("s", steps())]);
  desk.shell = {
    ...shell,
    info: async () => ({ platform: "macos" }) as Awaited<ReturnType<Shell["info"]>>,
  };
  location.hash = "#/session/s";
  render(Window, { backend: desk });
  expect(await rightClick(await screen.findByLabelText("Add a step"))).toBe(true);
  row("a").focus();
  await user.keyboard("{Enter}");
  expect(await rightClick(await screen.findByRole("textbox", { name: "Text of step 1" }))).toBe(true);
  expect(screen.queryByRole("menu")).toBeNull();
});
