import { render, screen, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { Failure } from "../backend/backend";
import { Desk } from "../testing/desk";
import { lastCall, openSession, rows, shown, steps, withBrowser } from "../testing/page";
import { item, session } from "../testing/samples";
import Window from "./Window.svelte";

const user = userEvent.setup();

withBrowser();

test("Now shows each current session as a link named by agent and project", async () => {
  render(Window, { backend: new Desk([session("s", steps())]) });
  const card = await screen.findByRole("link", { name: /^codex · project-s, 1 of 3/ });
  expect(card.closest("[data-revision]")?.getAttribute("data-revision")).toBe("1");
  expect(screen.getByText("Doing b")).toBeTruthy();
  expect(screen.getByRole("status").dataset.state).toBe("connected");
  expect(screen.getByRole("status").textContent).toContain("Gateway on 3271");
});

const scroller = () => document.querySelector<HTMLElement>("main .page") as HTMLElement;

test("a page begins at its top, however far the one before was scrolled", async () => {
  render(Window, { backend: new Desk([session("s", steps())]) });
  const link = await screen.findByRole("link", { name: /^codex · project-s/ });
  scroller().scrollTop = 120;
  await user.click(link);
  await vi.waitFor(() => expect(rows()).not.toHaveLength(0));
  expect(scroller().scrollTop).toBe(0);
});

test("with no session at all it says how to send the first list", async () => {
  render(Window, { backend: new Desk([]) });
  expect(await screen.findByText("sightline todo add x")).toBeTruthy();
  expect(screen.getByRole("button", { name: "Copy command" })).toBeTruthy();
  expect(screen.getByText("http://127.0.0.1:3271/mcp")).toBeTruthy();
});

test("a session shows its list in full", async () => {
  await openSession();
  expect(rows().map(({ dataset }) => [dataset.position, dataset.status])).toEqual([
    ["1", "completed"],
    ["2", "in_progress"],
    ["2.1", "pending"],
    ["3", "pending"],
  ]);
  const active = within(rows()[1] as HTMLElement);
  expect(active.getByText("Doing b")).toBeTruthy();
  expect((rows()[1] as HTMLElement).querySelector("time")).toBeTruthy();
  expect(rows()[3]?.textContent).toContain("pending · next call");
  expect(screen.getByRole("progressbar").getAttribute("aria-valuetext")).toBe("1 of 3");
  expect(screen.getByRole("progressbar").getAttribute("aria-valuenow")).toBe("1");
});

test("markup and control characters in a step are text", async () => {
  await openSession("s", [item("a", "pending", { content: "<img src=x onerror=alert(1)>\u0007" })]);
  expect(rows()[0]?.textContent).toContain("<img src=x onerror=alert(1)>\u2407");
  expect(rows()[0]?.querySelector("img")).toBeNull();
});

test("the add field adds at the end, one after the other, and keeps the focus", async () => {
  const desk = await openSession();
  const field = screen.getByLabelText("Add a step");
  await user.type(field, "First{Enter}Second{Enter}");
  await vi.waitFor(() => expect(rows()).toHaveLength(6));
  expect(
    rows()
      .slice(-2)
      .map((row) => row.querySelector("bdi")?.textContent),
  ).toEqual(["First", "Second"]);
  expect(document.activeElement).toBe(field);
  expect((field as HTMLInputElement).value).toBe("");
  await user.type(field, "2.last Sub{Enter}");
  expect(lastCall(desk)).toMatchObject({ type: "todo.add", fields: { position: "2.last", content: "Sub" } });
});

test("what could not be added stays in its field, with the reason beside it", async () => {
  const desk = await openSession();
  desk.refusal = new Failure("UNAVAILABLE", "The gateway is away.");
  const field = screen.getByLabelText<HTMLInputElement>("Add a step");
  await user.type(field, "Keep me{Enter}");
  await vi.waitFor(() => expect(field.value).toBe("Keep me"));
  expect(screen.getByRole("alert").textContent).toContain("The gateway is away.");
});

test("a step is inserted where the user points, by button or key", async () => {
  const desk = await openSession();
  await user.click(screen.getByRole("button", { name: "Insert at 2" }));
  await user.type(screen.getByLabelText("Insert a step at 2"), "Between{Enter}");
  await vi.waitFor(() => expect(rows()).toHaveLength(5));
  expect(lastCall(desk)).toMatchObject({ type: "todo.add", fields: { position: "2", content: "Between" } });
  await vi.waitFor(() => expect((document.activeElement as HTMLElement).dataset.position).toBe("2"));
  await user.keyboard("o");
  expect(screen.getByLabelText("Insert a step at 3")).toBe(document.activeElement);
  await user.keyboard("{Escape}{Shift>}O{/Shift}");
  expect(screen.getByLabelText("Insert a step at 3")).toBeTruthy();
});

test("what is typed between two steps stays when the step beside it goes", async () => {
  const desk = await openSession();
  rows()[0]?.focus();
  await user.keyboard("oBetw");
  desk.write("s", [item("a", "completed"), item("c")]);
  await vi.waitFor(() => expect(rows()).toHaveLength(2));
  const field = screen.getByLabelText<HTMLInputElement>("Insert a step at 2");
  expect(field.value).toBe("Betw");
  expect(document.activeElement).toBe(field);
  await user.keyboard("een{Enter}");
  await vi.waitFor(() => expect(rows()[1]?.textContent).toContain("Between"));
  await user.keyboard("oLast words");
  desk.write("s", []);
  await screen.findByText("Not added: “Last words”", { selector: "bdi" });
});

test("after the last step, past its subtasks, a field opens for the next", async () => {
  await openSession("s", [item("a", "pending", { subtasks: [item("a1")] })]);
  rows()[0]?.focus();
  await user.keyboard("o");
  expect(screen.getByLabelText("Insert a step at 2")).toBeTruthy();
  await user.keyboard("{Escape}");
  rows()[1]?.focus();
  await user.keyboard("o");
  expect(screen.getByLabelText("Insert a step at 1.2")).toBeTruthy();
});

test("a step is deleted by its button, and brought back by the toast", async () => {
  const desk = await openSession();
  await user.click(screen.getByRole("button", { name: "Delete step 3" }));
  await vi.waitFor(() => expect(shown()).toEqual(["a", "b", "b1"]));
  expect(lastCall(desk)).toMatchObject({ type: "todo.delete", fields: { uid: "c" } });
  expect(screen.getByText("Removed “Step c”.", { selector: "bdi" })).toBeTruthy();
  expect(screen.getByText(/^1 step removed, delivered on its next call · last call /)).toBeTruthy();
  await user.click(screen.getByRole("button", { name: "Undo" }));
  await vi.waitFor(() => expect(shown()).toEqual(["a", "b", "b1", "c"]));
});

test("a step is deleted by key, and the focus goes to its neighbour", async () => {
  await openSession();
  rows()[0]?.focus();
  await user.keyboard("{ArrowDown}{ArrowDown}{ArrowUp}");
  expect((document.activeElement as HTMLElement).dataset.uid).toBe("b");
  await user.keyboard("{Delete}");
  await vi.waitFor(() => expect(shown()).toEqual(["a", "c"]));
  expect((document.activeElement as HTMLElement).dataset.uid).toBe("c");
});

test("Clear list asks nothing and can be undone by key", async () => {
  await openSession();
  await user.click(screen.getByRole("button", { name: "Clear list" }));
  await screen.findByText("You cleared this list");
  expect(screen.getByText("Cleared 3 steps.", { selector: "bdi" })).toBeTruthy();
  (document.activeElement as HTMLElement).blur();
  await user.keyboard("{Control>}z{/Control}");
  await vi.waitFor(() => expect(rows()).toHaveLength(4));
});

test("a failed deletion says so and changes nothing", async () => {
  const desk = await openSession();
  desk.refusal = new Failure("STORAGE", "The disk is full.");
  await user.click(screen.getByRole("button", { name: "Delete step 1" }));
  await screen.findByText("“Step a” was not removed. The disk is full.", { selector: "bdi" });
  expect(rows()).toHaveLength(4);
});

test("Escape leaves a session, and its link has the focus", async () => {
  await openSession();
  await user.keyboard("{Escape}");
  const link = await screen.findByRole("link", { name: /^codex · project-s, / });
  await vi.waitFor(() => expect(document.activeElement).toBe(link));
});

test("a session that the snapshot left out is asked for", async () => {
  const desk = await openSession("s", steps(), { current: false });
  expect(desk.calls.map(({ type }) => type)).toContain("session.get");
  expect(rows()).toHaveLength(4);
});

test("a burst is painted once per frame, and the newest wins", async () => {
  const desk = await openSession();
  const list = screen.getByRole("list", { name: "Steps" });
  const painted: string[] = [];
  const observer = new MutationObserver(() => painted.push(list.dataset.revision ?? ""));
  observer.observe(list, { attributeFilter: ["data-revision"] });
  for (let count = 0; count < 1_000; count += 1)
    desk.write("s", [item("a", "pending", { content: `${count}` })]);
  await vi.waitFor(() => expect(list.dataset.revision).toBe("1001"));
  expect(painted.length).toBeLessThanOrEqual(2);
  expect(rows()[0]?.textContent).toContain("999");
  observer.disconnect();
});

test("losing the gateway shows, and keeps what was there", async () => {
  const desk = await openSession();
  desk.tell({ type: "gateway.state", state: "disconnected" });
  await vi.waitFor(() => expect(screen.getByRole("status").dataset.state).toBe("reconnecting"));
  expect(rows()).toHaveLength(4);
  desk.snapshot();
  await vi.waitFor(() => expect(screen.getByRole("status").dataset.state).toBe("connected"));
});
