import { render, screen, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { Failure } from "../../backend/backend";
import { Desk } from "../../testing/desk";
import { openSession, select, steps, withBrowser } from "../../testing/page";
import { edit, session as sample } from "../../testing/samples";
import Window from "../../window/Window.svelte";

const user = userEvent.setup();

withBrowser();

const line = () => screen.getByRole("textbox", { name: "Add for later" });
const list = () => screen.getByRole("list", { name: "Steps and messages for later" });
const texts = () =>
  [...list().querySelectorAll("li")].map((row) => row.textContent?.replaceAll(/\s+/g, " ").trim());

async function keep(text: string): Promise<void> {
  await user.type(line(), `${text}{Enter}`);
  await vi.waitFor(() => expect(list().textContent).toContain(text));
}

test("steps and messages are kept, changed, moved and deleted", async () => {
  const desk = await openSession("s", undefined, { folder: "/home/me/billing" });
  await keep("Ask before you push");
  await select(user, screen.getByRole("combobox", { name: "Add as" }), "Step");
  await select(user, screen.getByRole("combobox", { name: "For" }), "Next session in …/me/billing");
  await keep("Bump the version");
  expect(desk.calls.filter(({ type }) => type === "later.add").map(({ fields }) => fields)).toEqual([
    { sessionId: "s", text: "Ask before you push" },
    { folder: "/home/me/billing", step: true, text: "Bump the version" },
  ]);
  expect(texts()).toEqual([
    "Message Ask before you push Pending",
    "Step Bump the version Pending · next session in this folder",
  ]);
  // Each queue has its own order.
  expect(screen.getByRole("button", { name: "Move up: Bump the version" })).toHaveProperty("disabled", true);
  await select(user, screen.getByRole("combobox", { name: "For" }), "This session");
  await keep("Write the changelog");
  await user.click(screen.getByRole("button", { name: "Move up: Write the changelog" }));
  await vi.waitFor(() => expect(texts()[0]).toContain("Write the changelog"));
  await user.click(screen.getByRole("button", { name: "Edit: Ask before you push" }));
  const field = within(list()).getByRole("textbox", { name: "Text" });
  expect(document.activeElement).toBe(field);
  await user.clear(field);
  await user.type(field, "Ask me first{Enter}");
  await vi.waitFor(() => expect(list().textContent).toContain("Ask me first"));
  await user.click(screen.getByRole("button", { name: "Delete: Bump the version" }));
  await vi.waitFor(() => expect(texts()).toHaveLength(2));
});

test("one that was handed over shows how far its edit has come, and cannot be changed any more", async () => {
  const desk = await openSession();
  await keep("Ask before you push");
  await user.click(screen.getByRole("button", { name: "Edit: Ask before you push" }));
  desk.put({
    ...(await desk.call("session.get", { sessionId: "s" })).session,
    todos: [],
    listId: "l",
    edits: [edit(undefined, { editId: "e9", kind: "note", text: "Ask before you push", state: "delivered" })],
  });
  desk.later.handOver("l1", "s", "e9");
  await vi.waitFor(() => expect(list().textContent).toMatch(/delivered/i));
  expect(screen.queryByRole("button", { name: /Delete: Ask/ })).toBeNull();
});

async function expectAsLeft(): Promise<void> {
  const field = await screen.findByRole("textbox", { name: "Text" });
  expect(field).toHaveProperty("value", "Ask first, then push");
  expect(document.activeElement, "the page leads the focus").not.toBe(field);
  expect(screen.getByRole("combobox", { name: "Add as" }).textContent).toContain("Step");
  expect(screen.getByRole("combobox", { name: "For" }).textContent).toContain("billing");
}

test("another wording outlives its page and a reload, and what is added stays a step for the folder", async () => {
  const desk = new Desk([sample("s", steps(), { folder: "/home/me/billing" })]);
  location.hash = "#/session/s";
  const { unmount } = render(Window, { backend: desk });
  await user.type(await screen.findByRole("textbox", { name: "Add for later" }), "Ask first{Enter}");
  await user.click(await screen.findByRole("button", { name: "Edit: Ask first" }));
  await user.type(screen.getByRole("textbox", { name: "Text" }), ", then push");
  await select(user, screen.getByRole("combobox", { name: "Add as" }), "Step");
  await select(user, screen.getByRole("combobox", { name: "For" }), "Next session in …/me/billing");
  location.hash = "#/";
  await screen.findByRole("heading", { name: "Now" });
  location.hash = "#/session/s";
  await expectAsLeft();
  unmount();
  render(Window, { backend: desk });
  await expectAsLeft();
  await user.type(screen.getByRole("textbox", { name: "Text" }), "{Enter}");
  await vi.waitFor(() => expect(texts()[0]).toContain("Ask first, then push"));
  expect(sessionStorage.getItem("later-edit s")).toBeNull();
  await user.click(screen.getByRole("button", { name: "Edit: Ask first, then push" }));
  await user.keyboard("{Escape}");
  expect(sessionStorage.getItem("later-edit s")).toBeNull();
});

test("another wording of one that waits no more is put into the line, which says so", async () => {
  const desk = await openSession();
  await keep("Ask before you push");
  await user.click(screen.getByRole("button", { name: "Edit: Ask before you push" }));
  await user.type(screen.getByRole("textbox", { name: "Text" }), " to main");
  desk.later.handOver("l1", "s", "e9");
  await vi.waitFor(() => expect(line()).toHaveProperty("value", "Ask before you push to main"));
  await screen.findByText(/delivered or deleted meanwhile/, { selector: "[role=alert]" });
  expect(screen.queryByRole("textbox", { name: "Text" })).toBeNull();
  expect(sessionStorage.getItem("later-edit s")).toBeNull();
});

test("what is refused stays, and says why", async () => {
  const desk = await openSession();
  await keep("Ask before you push");
  desk.refusal = new Failure("ITEM_NOT_FOUND", "it was handed over or deleted meanwhile");
  await user.click(screen.getByRole("button", { name: "Delete: Ask before you push" }));
  await screen.findByText("Not changed: it was handed over or deleted meanwhile", { selector: "bdi" });
  await user.type(line(), "More{Enter}");
  await screen.findByText("it was handed over or deleted meanwhile", { selector: "[role=alert]" });
  expect(line()).toHaveProperty("value", "More");
});

test("an agent at rest continues, one at work does not, and a page needs the right to answer", async () => {
  const desk = await openSession("s", undefined, { state: "running" });
  expect(screen.queryByRole("button", { name: "Continue" })).toBeNull();
  const { session } = await desk.call("session.get", { sessionId: "s" });
  desk.put({ ...session, state: "idle", todos: [], listId: "l", edits: [] });
  await user.click(await screen.findByRole("button", { name: "Continue" }));
  await screen.findByText("The agent continues in a terminal", { selector: "bdi" });
  expect(desk.calls.findLast(({ type }) => type === "session.continue")?.fields).toEqual({ sessionId: "s" });
  desk.refusal = new Failure("UNAVAILABLE", "it is at work");
  await user.click(screen.getByRole("button", { name: "Continue" }));
  await screen.findByText("Couldn’t continue: it is at work", { selector: "bdi" });
  desk.tell({ type: "gateway.greeted", rights: "edit" });
  await vi.waitFor(() =>
    expect(screen.getByRole("button", { name: "Continue" })).toHaveProperty("disabled", true),
  );
});
