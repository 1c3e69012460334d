import { render, screen, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import type { SendingEdit } from "../../protocol/types";
import { Desk } from "../../testing/desk";
import { lastCall, withBrowser } from "../../testing/page";
import { AT, item, session } from "../../testing/samples";
import Window from "../../window/Window.svelte";

const user = userEvent.setup();

withBrowser();

const SENDING: SendingEdit[] = [
  { key: "e1", kind: "todo.add", text: "Use staging", at: AT },
  { key: "e2", kind: "note.send", text: "Hello", at: AT, problem: "the list is full" },
];

function elsewhere(sending = SENDING): Desk {
  const on = { host: "box", folder: "/home/me/api", sending };
  return new Desk([{ ...session("s1", [item("a")]), ...on }]);
}

test("a session on another machine says where it lives, and which edits that has not", async () => {
  const desk = elsewhere();
  location.hash = "#/session/s1";
  render(Window, { backend: desk });
  const list = await screen.findByRole("list", { name: "Edits on their way to box" });
  const [waits, refused] = within(list).getAllByRole("listitem");
  expect(waits?.textContent).toContain("Sending");
  expect(refused?.textContent).toContain("Refused: the list is full");
  expect(screen.getByText("on box")).toBeTruthy();
  await user.click(within(list).getByRole("button", { name: "Discard “Hello”" }));
  expect(lastCall(desk)).toEqual({ type: "edit.discard", fields: { key: "e2" } });
});

test("an edit without a text of its own is said in words, never by the type of its request", async () => {
  const desk = elsewhere([
    { key: "1", kind: "todo.clear", text: "", at: AT },
    { key: "2", kind: "todo.setStatus", text: "in_progress", at: AT },
    { key: "3", kind: "todo.later", text: "", at: AT },
  ]);
  location.hash = "#/session/s1";
  render(Window, { backend: desk });
  const list = await screen.findByRole("list", { name: "Edits on their way to box" });
  const said = within(list).getAllByRole("listitem");
  expect(said.map(({ textContent }) => /^.*?(?=Sending)/.exec(textContent.trim())?.[0].trim())).toEqual([
    "Clear list",
    "Status: in progress",
    "Edit the list",
  ]);
  await user.click(within(list).getByRole("button", { name: "Discard “Clear list”" }));
  expect(lastCall(desk)).toEqual({ type: "edit.discard", fields: { key: "1" } });
});

test("over ssh the terminal and the editor are opened there", async () => {
  const desk = new Desk([
    { ...session("s1", [item("a")]), host: "box", folder: "/home/me/api", opens: ["terminal", "editor"] },
  ]);
  location.hash = "#/session/s1";
  render(Window, { backend: desk });
  await screen.findByText("on box");
  await user.click(screen.getByRole("button", { name: /^Actions for/ }));
  const items = (await screen.findAllByRole("menuitem")).map(({ textContent }) => textContent.trim());
  expect(items.filter((words) => /folder/i.test(words))).toEqual([]);
  expect(items.filter((words) => /editor/i.test(words))).toHaveLength(1);
  await user.click(screen.getByRole("menuitem", { name: /^Open terminal/ }));
  expect(lastCall(desk)).toEqual({ type: "session.open", fields: { sessionId: "s1", with: "terminal" } });
});

test("what is on another machine is not opened here", async () => {
  const desk = elsewhere();
  location.hash = "#/session/s1";
  render(Window, { backend: desk });
  await screen.findByText("on box");
  await user.click(screen.getByRole("button", { name: /^Actions for/ }));
  const items = (await screen.findAllByRole("menuitem")).map(({ textContent }) => textContent.trim());
  expect(items.some((words) => words.startsWith("Pin"))).toBe(true);
  expect(items.filter((words) => /folder|terminal|editor|resume/i.test(words))).toEqual([]);
});
