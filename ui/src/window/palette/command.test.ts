import { render, screen, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { Failure } from "../../backend/backend";
import { firstLine } from "./options";
import { Desk } from "../../testing/desk";
import { openSession, row, shown, steps, withBrowser } from "../../testing/page";
import { session } from "../../testing/samples";
import Window from "../Window.svelte";

const user = userEvent.setup();

withBrowser();

const line = () => screen.getByRole<HTMLInputElement>("combobox", { name: "Command" });
const options = () => screen.queryAllByRole("option").map((option) => option.textContent);
const answer = () => screen.findByLabelText("Output");
const asked = (desk: Desk) =>
  desk.calls.filter(({ type }) => type === "todo.complete").map(({ fields }) => fields.line);

test("a slash opens the bar, Escape closes it, and the focus goes back", async () => {
  await openSession();
  row("c").focus();
  await user.keyboard("/");
  expect(document.activeElement).toBe(line());
  expect(line().value).toBe("");
  await user.keyboard("half{Escape}");
  await vi.waitFor(() => expect(document.activeElement).toBe(row("c")));
  expect(screen.queryByRole("dialog")).toBeNull();
  expect(location.hash).toBe("#/session/s");
  await user.keyboard("/");
  expect(line().value).toBe("half");
});

test("Ctrl+K opens it from a field, where a slash is a letter", async () => {
  await openSession();
  const field = screen.getByLabelText<HTMLInputElement>("Add a step");
  await user.type(field, "a/b");
  expect(field.value).toBe("a/b");
  await user.keyboard("{Control>}k{/Control}");
  expect(document.activeElement).toBe(screen.getByRole("combobox", { name: "Find anything" }));
  await user.keyboard("{Control>}k{/Control}");
  await vi.waitFor(() => expect(document.activeElement).toBe(field));
});

test("a step is found by its text, added, and taken back", async () => {
  const desk = await openSession();
  await user.keyboard("/add Step c");
  await vi.waitFor(() => expect(options()).toEqual([expect.stringContaining("before “Step c”")]));
  expect(screen.getByText("/todo add <position> <description>")).toBeTruthy();
  await user.keyboard("{Tab}");
  expect(line().value).toBe("/todo add 3 ");
  await user.keyboard("Between{Enter}");
  expect((await answer()).textContent).toBe('Added TODO at position 3: "Between"');
  expect(line().value).toBe("");
  expect(document.activeElement).toBe(line());
  await vi.waitFor(() => expect(shown()).toHaveLength(5));
  expect(desk.calls.filter(({ type }) => type === "todo.command")).toEqual([
    { type: "todo.command", fields: { sessionId: "s", line: "/todo add 3 Between" } },
  ]);
  await user.keyboard("{Escape}");
  await vi.waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  await user.keyboard("{Control>}z{/Control}");
  await vi.waitFor(() => expect(shown()).toHaveLength(4));
});

test("what the bar has undone is not undone again by key", async () => {
  const desk = await openSession();
  await user.keyboard("/add 1 First{Enter}");
  await answer();
  await user.keyboard("undo{Enter}");
  await vi.waitFor(async () => expect((await answer()).textContent).toBe("Undone"));
  await user.keyboard("{Escape}");
  await vi.waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  await user.keyboard("{Control>}z{/Control}");
  await screen.findByText("Nothing of yours to undo here.", { selector: "bdi" });
  expect(desk.calls.map(({ type }) => type)).not.toContain("todo.undo");
});

test("arrow keys reach a choice, and Enter takes that one", async () => {
  const desk = await openSession();
  await user.keyboard("/");
  await vi.waitFor(() => expect(options()).toHaveLength(3));
  expect(line().getAttribute("aria-activedescendant")).toBeNull();
  await user.keyboard("{ArrowDown}{ArrowDown}");
  const [, second] = screen.getAllByRole("option");
  expect(line().getAttribute("aria-activedescendant")).toBe(second?.id);
  expect(second?.getAttribute("aria-selected")).toBe("true");
  await user.keyboard("{Enter}");
  expect(line().value).toBe("/todo add ");
  await user.click((await screen.findAllByRole("option"))[0] as HTMLElement);
  expect(line().value).toBe("/todo add 1 ");
  expect(document.activeElement).toBe(line());
  expect(desk.calls.map(({ type }) => type)).not.toContain("todo.command");
});

test("a number that no list has is refused with the way to the numbers", async () => {
  await openSession();
  await user.keyboard("/load 9{Enter}");
  const alert = await screen.findByRole("alert");
  expect(alert.textContent).toContain("there is no saved list 9; /todo list numbers those there are");
});

test("an error stands under the line, which stays to be mended", async () => {
  const desk = await openSession();
  await user.keyboard("/frob{Enter}");
  const alert = await screen.findByRole("alert");
  expect(alert.textContent).toContain("Unknown subcommand: frob. Use: show, add, undo");
  expect(alert.textContent).not.toContain("Error:");
  expect(line().value).toBe("frob");
  await user.clear(line());
  expect(screen.queryByRole("alert")).toBeNull();
  await user.keyboard("add 12 x{Enter}");
  expect((await screen.findByRole("alert")).textContent).toContain("Error: Position 12 out of range (1-4)");
  desk.refusal = new Failure("STORAGE", "The disk is full.");
  await user.clear(line());
  await user.keyboard("add 1 x{Enter}");
  expect((await screen.findByRole("alert")).textContent).toContain("Error: The disk is full.");
  expect(line().value).toBe("add 1 x");
});

test("earlier lines come back with the arrow keys", async () => {
  await openSession();
  await user.keyboard("/show{Enter}");
  expect((await answer()).textContent).toContain("1. [COMPLETED] Step a");
  await user.keyboard("add 1 Now{Enter}");
  await vi.waitFor(async () => expect((await answer()).textContent).toMatch(/^Added/));
  await user.keyboard("{ArrowUp}");
  expect(line().value).toBe("add 1 Now");
  await user.keyboard("{ArrowUp}{ArrowUp}");
  expect(line().value).toBe("show");
  await user.keyboard("{ArrowDown}{ArrowDown}");
  expect(line().value).toBe("");
});

test("while one completion is under way no other is asked for, and the newest comes after it", async () => {
  const desk = await openSession();
  desk.held = [];
  await user.keyboard("/add");
  expect(asked(desk)).toEqual([""]);
  for (let at = 0; at < 2; at += 1) {
    desk.held[at]?.();
    // oxlint-disable-next-line no-await-in-loop
    await vi.waitFor(() => expect(asked(desk).length).toBe(2));
  }
  expect(asked(desk)).toEqual(["", "add"]);
  await vi.waitFor(() => expect(options()).toHaveLength(1));
});

test("Tab that is faster than the answer waits for it, and takes nothing that is of an older line", async () => {
  const desk = await openSession();
  await user.keyboard("/");
  await vi.waitFor(() => expect(options()).toHaveLength(3));
  desk.held = [];
  await user.keyboard("ad{Tab}");
  expect(line().value).toBe("ad");
  expect(document.activeElement).toBe(line());
  for (const at of [0, 1]) {
    // oxlint-disable-next-line no-await-in-loop
    await vi.waitFor(() => expect(desk.held?.length).toBeGreaterThan(at));
    desk.held[at]?.();
  }
  await vi.waitFor(() => expect(line().value).toBe("/todo add "));
  await user.keyboard("{Tab}x");
  for (const [at, go] of [...desk.held].entries()) if (at > 1) go();
  expect(line().value).toBe("/todo add x");
});

test("positions are asked for again when the list changes", async () => {
  const desk = await openSession();
  await user.keyboard("/add Step c");
  await vi.waitFor(() => expect(options()[0]).toContain("3"));
  desk.write("s", steps().slice(1));
  await vi.waitFor(() => expect(options()[0]).toContain("2"));
  expect(line().value).toBe("add Step c");
});

test("Tab goes round within the bar", async () => {
  await openSession("s", steps(), { edits: [] });
  await user.keyboard("/show{Enter}");
  const output = await answer();
  await user.tab();
  expect(document.activeElement).toBe(output);
  await user.tab();
  expect(document.activeElement).toBe(line());
  await user.tab({ shift: true });
  expect(document.activeElement).toBe(output);
  await user.keyboard("{Escape}");
  await vi.waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(location.hash).toBe("#/session/s");
});

test("without the gateway the bar says so and keeps the line", async () => {
  const desk = await openSession();
  desk.tell({ type: "gateway.state", state: "disconnected" });
  await user.keyboard("/show");
  await screen.findByText(/^The gateway isn’t responding\. Your text/);
  expect(asked(desk)).toEqual([]);
  desk.snapshot();
  await vi.waitFor(() => expect(asked(desk)).toEqual(["show"]));
  expect(line().value).toBe("show");
});

test("of several pasted lines the first is taken, and that is said", async () => {
  await openSession();
  await user.keyboard("/");
  await user.paste("\nadd 1 One\nadd 2 Two\r\n\nadd 3 Three");
  expect(line().value).toBe("add 1 One");
  expect(screen.getByText("Only the first line was taken; 2 more left out.")).toBeTruthy();
  expect(firstLine("show\n")).toEqual({ line: "show", more: 0 });
});

test("on Now, with several sessions, one is chosen first and can be changed", async () => {
  const desk = new Desk([session("s", steps()), session("t", steps())]);
  render(Window, { backend: desk });
  await screen.findByRole("link", { name: /^codex · project-t/ });
  (document.activeElement as HTMLElement).blur();
  await user.keyboard("/");
  const search = screen.getByRole("combobox", { name: "Session" });
  expect(document.activeElement).toBe(search);
  await user.keyboard("ject-t{Enter}show{Enter}");
  await answer();
  expect(desk.calls.findLast(({ type }) => type === "todo.command")?.fields.sessionId).toBe("t");
  await user.click(screen.getByRole("button", { name: /^For codex · project-t/ }));
  expect(screen.getAllByRole("option")).toHaveLength(2);
  await user.keyboard("{Escape}");
  expect(line()).toBeTruthy();
  await user.click(screen.getByRole("button", { name: /^For codex · project-t/ }));
  await user.keyboard("ject-s{Enter}");
  expect(screen.queryByLabelText("Output")).toBeNull();
  await user.keyboard("add 1 Here{Enter}");
  await answer();
  expect(desk.calls.findLast(({ type }) => type === "todo.command")?.fields.sessionId).toBe("s");
});

test("on Now the only session is the one, and a card that has the focus is, too", async () => {
  const desk = new Desk([session("s", steps()), session("old", [], { current: false })]);
  render(Window, { backend: desk });
  (await screen.findByRole("link", { name: /^codex · project-s/ })).focus();
  await user.keyboard("/");
  const dialog = within(screen.getByRole("dialog", { name: "Command palette" }));
  expect(dialog.getByRole("button", { name: /^For codex · project-s/ })).toBeTruthy();
  await user.keyboard("show{Enter}");
  await answer();
  expect(desk.calls.at(-1)?.fields.sessionId).toBe("s");
});

test("what was chosen before is not kept once it is over", async () => {
  const desk = new Desk([session("s", steps()), session("t", steps())]);
  render(Window, { backend: desk });
  (await screen.findByRole("link", { name: /^codex · project-t/ })).focus();
  await user.keyboard("/{Escape}");
  await vi.waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  (document.activeElement as HTMLElement).blur();
  await user.keyboard("/{Escape}");
  desk.tell({ type: "session.updated", cursor: "db:9", ...session("t", steps(), { current: false }) });
  await vi.waitFor(() =>
    expect(screen.getByRole("link", { name: "Now 1 current" }).getAttribute("href")).toBe("#/"),
  );
  await user.keyboard("/");
  expect(screen.getByRole("button", { name: /^For codex · project-s/ })).toBeTruthy();
});
