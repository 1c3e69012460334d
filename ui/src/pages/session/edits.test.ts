import { screen, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { Failure } from "../../backend/backend";
import type { Desk } from "../../testing/desk";
import { lastCall, openSession, row, shown, steps, withBrowser } from "../../testing/page";
import { edit, item, session } from "../../testing/samples";

const user = userEvent.setup();

withBrowser();

const focused = (): string | undefined => (document.activeElement as HTMLElement).dataset.uid;
const textField = (position: string) =>
  screen.getByRole<HTMLTextAreaElement>("textbox", { name: `Text of step ${position}` });

test("Space goes through the statuses, and Ctrl+Z takes back the newest", async () => {
  const desk = await openSession();
  row("c").focus();
  for (const status of ["in_progress", "completed", "pending"]) {
    // oxlint-disable-next-line no-await-in-loop
    await user.keyboard(" ");
    // oxlint-disable-next-line no-await-in-loop
    await vi.waitFor(() => expect(row("c").dataset.status).toBe(status));
    expect(lastCall(desk)).toEqual({ type: "todo.setStatus", fields: { sessionId: "s", uid: "c", status } });
  }
  expect(focused()).toBe("c");
  await user.keyboard("{Control>}z{/Control}");
  await vi.waitFor(() => expect(row("c").dataset.status).toBe("completed"));
});

test("the status is a button that says what it does", async () => {
  const desk = await openSession();
  await user.click(screen.getByRole("button", { name: "Status of “Step b1”: to do. Change to in progress" }));
  await vi.waitFor(() => expect(row("b1").dataset.status).toBe("in_progress"));
  desk.refusal = new Failure("STORAGE", "The disk is full.");
  await user.click(screen.getByRole("button", { name: /^Status of “Step b1”: in progress/ }));
  await screen.findByText("“Step b1” was not changed. The disk is full.", { selector: "bdi" });
  expect(row("b1").dataset.status).toBe("in_progress");
});

test.each(["{Enter}", "{F2}"])("%s opens a step's text, Enter saves it", async (key) => {
  const desk = await openSession();
  row("b").focus();
  await user.keyboard(key);
  const field = textField("2");
  expect(document.activeElement).toBe(field);
  expect(field.value.slice(field.selectionStart, field.selectionEnd)).toBe("Step b");
  await user.keyboard("Another b{Enter}");
  await vi.waitFor(() => expect(screen.queryByRole("textbox", { name: "Text of step 2" })).toBeNull());
  expect(lastCall(desk)).toEqual({
    type: "todo.edit",
    fields: { sessionId: "s", uid: "b", content: "Another b" },
  });
  expect(focused()).toBe("b");
  await user.keyboard("{Control>}z{/Control}");
  await screen.findByText("“Step b” is back.", { selector: "bdi" });
});

test("a double click opens a step's text, Escape leaves it as it was", async () => {
  const desk = await openSession();
  await user.dblClick(within(row("c")).getByText("Step c"));
  await user.type(textField("3"), "!{Escape}");
  expect(within(row("c")).getByText("Step c")).toBeTruthy();
  expect(focused()).toBe("c");
  expect(desk.calls.map(({ type }) => type)).not.toContain("todo.edit");
  expect(location.hash).toBe("#/session/s");
});

test("a refused text stays in its field, with the reason under it", async () => {
  await openSession();
  row("a").focus();
  await user.keyboard("{Enter}{Delete}{Enter}");
  expect((await screen.findByRole("alert")).textContent).toBe("A step needs a text.");
  expect(document.activeElement).toBe(textField("1"));
  await user.keyboard("Full again{Enter}");
  await vi.waitFor(() => expect(row("a").textContent).toContain("Full again"));
});

test("a text whose step goes away meanwhile stays, and brings the step back", async () => {
  const desk = await openSession();
  row("c").focus();
  await user.keyboard("{Enter}Half written");
  desk.write("s", steps().slice(0, 2));
  await within(row("c")).findByText("codex over MCP removed this step", { exact: false });
  expect(row("c").dataset.gone).toBe("true");
  expect(textField("3").value).toBe("Half written");
  expect(document.activeElement).toBe(textField("3"));
  await user.keyboard(" down");
  await user.click(within(row("c")).getByRole("button", { name: "Restore it with this text" }));
  await vi.waitFor(() => expect(row("c").textContent).toContain("Half written down"));
  expect(row("c").dataset.gone).toBeUndefined();
  expect(desk.calls.filter(({ type }) => /restore|edit$/.test(type)).slice(-2)).toEqual([
    { type: "todo.restore", fields: { sessionId: "s", uid: "c" } },
    { type: "todo.edit", fields: { sessionId: "s", uid: "c", content: "Half written down" } },
  ]);
});

test("what is typed outlives the page, and what is discarded is gone", async () => {
  const desk = await openSession();
  row("c").focus();
  await user.keyboard("{Enter}Half written");
  location.hash = "#/";
  await user.click(await screen.findByRole("link", { name: /^codex · project-s, / }));
  await vi.waitFor(() => expect(textField("3").value).toBe("Half written"));
  desk.write("s", []);
  await screen.findByText(/removed this step/);
  await user.click(screen.getByRole("button", { name: "Discard" }));
  await screen.findByText("The list is empty");
});

test("a change to a step that has just vanished is made once it is back", async () => {
  const desk = await openSession();
  const message = 'codex over MCP removed "Step a" just now; bring it back to change it';
  desk.refusal = new Failure("ITEM_REMOVED", message);
  row("a").focus();
  await user.keyboard(" ");
  await screen.findByText(`“Step a” was not changed. ${message}`, { selector: "bdi" });
  desk.refusal = undefined;
  desk.write("s", steps().slice(1));
  await user.click(screen.getByRole("button", { name: "Restore" }));
  await vi.waitFor(() => expect(row("a").dataset.status).toBe("pending"));
  expect(desk.calls.slice(-2).map(({ type }) => type)).toEqual(["todo.restore", "todo.setStatus"]);
});

test("Ctrl+Z in a field is the browser's own", async () => {
  const desk = await openSession();
  row("c").focus();
  await user.keyboard(" ");
  await vi.waitFor(() => expect(row("c").dataset.status).toBe("in_progress"));
  await user.keyboard("{Enter}abc{Control>}z{/Control}");
  await user.click(screen.getByLabelText("Tell the agent"));
  await user.keyboard("abc{Control>}z{/Control}");
  expect(desk.calls.map(({ type }) => type)).not.toContain("todo.undo");
});

test("Alt and an arrow move a step on its level, and the focus goes with it", async () => {
  const todos = [item("a"), item("b", "pending", { subtasks: [item("b1"), item("b2")] }), item("c")];
  const desk = await openSession("s", todos, { edits: [] });
  row("c").focus();
  await user.keyboard("{Alt>}{ArrowUp}{/Alt}");
  await vi.waitFor(() => expect(shown()).toEqual(["a", "c", "b", "b1", "b2"]));
  expect(lastCall(desk)).toEqual({ type: "todo.move", fields: { sessionId: "s", uid: "c", to: "2" } });
  await vi.waitFor(() => expect(focused()).toBe("c"));
  row("b1").focus();
  await user.keyboard("{Alt>}{ArrowDown}{/Alt}");
  await vi.waitFor(() => expect(shown()).toEqual(["a", "c", "b", "b2", "b1"]));
  expect(lastCall(desk)).toMatchObject({ type: "todo.move", fields: { uid: "b1", to: "3.2" } });
  const before = desk.calls.length;
  await user.keyboard("{Alt>}{ArrowDown}{/Alt}");
  row("a").focus();
  await user.keyboard("{Alt>}{ArrowUp}{/Alt}");
  expect(desk.calls).toHaveLength(before);
  expect(focused()).toBe("a");
  await user.keyboard("{Control>}z{/Control}");
  await vi.waitFor(() => expect(shown()).toEqual(["a", "c", "b", "b1", "b2"]));
});

const places = () => shown().map((uid) => row(uid ?? "").dataset.position);

test("Alt and an arrow put a step on the other level, and Tab those that are selected", async () => {
  const todos = [item("a"), item("b"), item("c"), item("d")];
  const desk = await openSession("s", todos, { edits: [] });
  row("b").focus();
  await user.keyboard("{Alt>}{ArrowRight}{/Alt}");
  await vi.waitFor(() => expect(places()).toEqual(["1", "1.1", "2", "3"]));
  expect(lastCall(desk)).toEqual({ type: "todo.indent", fields: { sessionId: "s", uid: "b", out: false } });
  await vi.waitFor(() => expect(focused()).toBe("b"));
  await user.keyboard("i");
  await user.click(within(row("b")).getByRole("button", { name: "Outdent" }));
  await vi.waitFor(() => expect(places()).toEqual(["1", "2", "3", "4"]));
  await user.keyboard("{Escape}{Shift>}{ArrowDown}{/Shift}{Tab}");
  await vi.waitFor(() => expect(places()).toEqual(["1", "1.1", "1.2", "2"]));
  await user.keyboard("{Shift>}{Tab}{/Shift}");
  await vi.waitFor(() => expect(places()).toEqual(["1", "2", "3", "4"]));
  expect([shown(), focused()]).toEqual([["a", "b", "c", "d"], "c"]);
  // With nothing selected Tab goes on, and what has no other level asks nothing.
  const before = desk.calls.length;
  await user.keyboard("{Escape}{Tab}");
  expect(focused()).not.toBe("c");
  row("a").focus();
  await user.keyboard("{Alt>}{ArrowRight}{ArrowLeft}{/Alt}");
  expect(desk.calls).toHaveLength(before);
});

test("a note is sent, and stands beside its field", async () => {
  const desk = await openSession();
  const field = screen.getByLabelText<HTMLInputElement>("Tell the agent");
  await user.type(field, "  {Enter}Use the staging database{Enter}");
  expect(field.value).toBe("");
  expect(lastCall(desk)).toEqual({
    type: "note.send",
    fields: { sessionId: "s", text: "Use the staging database" },
  });
  const note = await screen.findByText("Use the staging database", { selector: "bdi" });
  expect(note.closest("p")?.textContent).toContain("pending · next call");
  expect(screen.getByText(/^2 pending, delivered on its next call · last call /)).toBeTruthy();
  desk.refusal = new Failure("LIMIT_EXCEEDED", "A note has 2,000 characters at most.");
  await user.type(field, "Too long{Enter}");
  expect((await screen.findByRole("alert")).textContent).toBe("A note has 2,000 characters at most.");
  expect(field.value).toBe("Too long");
});

test("one may insist on what the agent overrode, and on what it put back", async () => {
  const desk = await openSession("s", steps(), {
    edits: [
      edit("c", { kind: "set", state: "overridden", text: "Step c", detail: "status skipped" }),
      edit("gone", { kind: "delete", state: "ignored", text: "Step d" }),
      edit("b", { kind: "set", state: "reflected", text: "Step b" }),
    ],
  });
  expect(screen.getAllByRole("button", { name: /^Send again: “/ })).toHaveLength(2);
  expect(within(row("c")).getByTitle(/^status skipped, by you, since/)).toBeTruthy();
  await user.click(within(row("c")).getByRole("button", { name: "Send again: “Step c”" }));
  await vi.waitFor(() => expect(row("c").textContent).toContain("pending · next call"));
  expect(lastCall(desk)).toEqual({ type: "edit.insist", fields: { sessionId: "s", editId: "edit-c" } });
  await user.click(screen.getByRole("button", { name: "Send again: “Step d”" }));
  await screen.findByText(/^1 step removed, delivered on its next call · last call /);
});

/** Of those that change something. */
const lastDeed = (desk: Desk) => desk.calls.findLast(({ type }) => /^(todo|session|note)\./.test(type));
const undo = "{Control>}z{/Control}";
const redo = "{Control>}{Shift>}z{/Shift}{/Control}";

test("Ctrl+Z takes back and Ctrl+Shift+Z makes again: after clearing, after adding, from an empty field", async () => {
  const desk = await openSession();
  const field = screen.getByLabelText<HTMLInputElement>("Add a step");
  await user.type(field, "Mine{Enter}");
  await vi.waitFor(() => expect(shown()).toHaveLength(5));
  const mine = shown().at(-1);
  expect(document.activeElement).toBe(field);
  await user.keyboard(undo);
  await vi.waitFor(() => expect(shown()).toEqual(["a", "b", "b1", "c"]));
  await user.keyboard(redo);
  await vi.waitFor(() =>
    expect(lastDeed(desk)).toEqual({ type: "todo.restore", fields: { sessionId: "s", uid: mine } }),
  );
  await vi.waitFor(() => expect(shown()).toHaveLength(5));
  // Typed text is the browser's to take back.
  await user.keyboard(`abc${undo}`);
  expect(desk.calls.filter(({ type }) => type === "todo.undo")).toHaveLength(1);
  await user.clear(field);
  row("c").focus();
  await user.keyboard(" ");
  await vi.waitFor(() => expect(row("c").dataset.status).toBe("in_progress"));
  location.hash = "#/";
  await screen.findByRole("link", { name: /^codex · project-s, / });
  await user.keyboard(undo);
  await vi.waitFor(() => expect(lastDeed(desk)?.type).toBe("todo.undo"));
  await user.keyboard(redo);
  const set = { sessionId: "s", uid: "c", status: "in_progress" };
  await vi.waitFor(() => expect(lastDeed(desk)).toEqual({ type: "todo.setStatus", fields: set }));
  // A new edit is the end of what could be made again.
  await user.keyboard(undo);
  await vi.waitFor(() => expect(lastDeed(desk)?.type).toBe("todo.undo"));
  location.hash = "#/session/s";
  await user.type(await screen.findByLabelText("Add a step"), "Another{Enter}");
  await vi.waitFor(() => expect(lastDeed(desk)?.type).toBe("todo.add"));
  await user.keyboard(redo);
  expect(lastDeed(desk)?.type).toBe("todo.add");
});

const typed = (label: string) => screen.getByLabelText<HTMLInputElement>(label).value;

test("what is typed into the lines of a session stays with it, also over a reload", async () => {
  const desk = await openSession();
  await user.type(screen.getByLabelText("Add a step"), "Half a step");
  await user.type(screen.getByLabelText("Tell the agent"), "Half a message");
  desk.put(session("t", steps()));
  location.hash = "#/session/t";
  await screen.findByText("Title of t", { selector: "h1 bdi" });
  expect([typed("Add a step"), typed("Tell the agent")]).toEqual(["", ""]);
  location.hash = "#/session/s";
  await vi.waitFor(() => expect(typed("Add a step")).toBe("Half a step"));
  expect(typed("Tell the agent")).toBe("Half a message");
  expect(sessionStorage.getItem("add s")).toBe("Half a step");
});

test("a pasted checklist becomes steps after one look, and goes again as one", async () => {
  const desk = await openSession();
  const field = screen.getByLabelText<HTMLInputElement>("Add a step");
  await user.click(field);
  await user.paste("Only\nprose");
  expect(field.value).toBe("Only prose");
  await user.clear(field);
  await user.paste("- Read\n  - the page\n- Write");
  const dialog = within(await screen.findByRole("dialog", { name: "Add 3 steps?" }));
  const read = dialog.getAllByRole("listitem").map(({ textContent }) => textContent?.trim());
  expect(read).toEqual([
    expect.stringContaining("Read"),
    expect.stringContaining("the page"),
    expect.anything(),
  ]);
  expect(desk.calls.map(({ type }) => type)).not.toContain("todo.add");
  // The levels are changed there as in the list.
  const rows = dialog.getAllByRole("listitem");
  const levels = () => rows.map(({ classList }) => classList.contains("sub"));
  rows[1]?.focus();
  await user.keyboard("{Shift>}{ArrowDown}{/Shift}{Tab}");
  expect(levels()).toEqual([false, true, true]);
  await user.keyboard("{Shift>}{Tab}{/Shift}{Escape}");
  expect(levels()).toEqual([false, false, false]);
  rows[1]?.focus();
  await user.click(dialog.getByRole("button", { name: "Indent" }));
  expect(levels()).toEqual([false, true, false]);
  await user.click(dialog.getByRole("button", { name: "Add 3 steps" }));
  await vi.waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  const added = desk.calls.filter(({ type }) => type === "todo.add").map(({ fields }) => fields);
  expect(added).toEqual([
    { sessionId: "s", content: "Read", position: "last", status: "pending" },
    { sessionId: "s", content: "the page", position: "4.last", status: "pending" },
    { sessionId: "s", content: "Write", position: "last", status: "pending" },
  ]);
  await user.keyboard(undo);
  await vi.waitFor(() => expect(desk.calls.filter(({ type }) => type === "todo.undo")).toHaveLength(3));
});

test("a session is renamed, exported and deleted on its page", async () => {
  const desk = await openSession();
  const menu = async (entry: string) => {
    await user.click(within(screen.getByRole("main")).getByRole("button", { name: "Actions for project-s" }));
    await user.click(await screen.findByRole("menuitem", { name: entry }));
  };
  await menu("Rename…");
  const dialog = within(await screen.findByRole("dialog", { name: "Rename session" }));
  const field = dialog.getByRole<HTMLInputElement>("textbox", { name: "Rename session" });
  expect(field.value).toBe("Title of s");
  await user.clear(field);
  await user.type(field, "The release{Enter}");
  await vi.waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(lastDeed(desk)).toEqual({ type: "session.mark", fields: { sessionId: "s", title: "The release" } });
  await screen.findByText("The release", { selector: "h1 bdi" });
  const saved = vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(() => undefined);
  await menu("Export with history (JSON)");
  await vi.waitFor(() => expect(saved).toHaveBeenCalledOnce());
  saved.mockRestore();
  desk.archive.sessions = [session("s", steps())];
  await menu("Delete session");
  await vi.waitFor(() => expect(location.hash).toBe("#/"));
  expect(desk.calls.filter(({ type }) => type === "session.delete")).toHaveLength(1);
  await user.click(screen.getByRole("button", { name: "Undo" }));
  await vi.waitFor(() => expect(lastDeed(desk)?.type).toBe("session.undelete"));
});

const picked = () => shown().filter((uid) => row(uid ?? "").classList.contains("picked"));

test("steps are selected with Shift and Ctrl, and removed, set and moved together", async () => {
  const desk = await openSession("s", [item("a"), item("b"), item("c"), item("d")], { edits: [] });
  const deeds = (type: string) =>
    desk.calls.filter((call) => call.type === type).map(({ fields }) => fields.uid);
  row("b").focus();
  await user.keyboard("{Shift>}{ArrowDown}{/Shift}");
  expect([picked(), focused()]).toEqual([["b", "c"], "c"]);
  await user.keyboard("{Alt>}{ArrowUp}{/Alt}");
  await vi.waitFor(() => expect(shown()).toEqual(["b", "c", "a", "d"]));
  await user.keyboard(" ");
  await vi.waitFor(() => expect(deeds("todo.setStatus")).toEqual(["b", "c"]));
  await user.keyboard("{Escape}");
  expect(picked()).toEqual([]);
  await user.keyboard("{Control>}");
  await user.click(within(row("a")).getByText("Step a"));
  await user.click(within(row("d")).getByText("Step d"));
  await user.keyboard("{/Control}");
  expect(picked()).toEqual(["a", "d"]);
  await user.click(within(screen.getByRole("toolbar")).getByRole("button", { name: "Delete" }));
  await vi.waitFor(() => expect(shown()).toEqual(["b", "c"]));
  expect(deeds("todo.delete")).toEqual(["a", "d"]);
  expect(screen.queryByRole("toolbar")).toBeNull();
  row("b").focus();
  await user.keyboard(undo);
  await vi.waitFor(() => expect(desk.calls.filter(({ type }) => type === "todo.undo")).toHaveLength(2));
});
