import { screen, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { Failure } from "../../backend/backend";
import { isChecked, lastChange, openSession, row, select, withBrowser } from "../../testing/page";
import { item } from "../../testing/samples";

const user = userEvent.setup();

withBrowser();

const details = (position: string): HTMLElement =>
  screen.getByRole("group", { name: `Details of step ${position}` });
const radio = (name: string, position = "2") => within(details(position)).getByRole("radio", { name });
const edited = (fields: object) => ({ type: "todo.edit", fields: { sessionId: "s", ...fields } });

test("details open and close by key, and p goes through the priorities", async () => {
  const desk = await openSession();
  row("c").focus();
  await user.keyboard("{ArrowRight}");
  expect(isChecked(within(details("3")).getByRole("radio", { name: "none" }))).toBe(true);
  await user.keyboard("{ArrowRight}");
  expect(document.activeElement).toBe(within(details("3")).getByRole("radio", { name: "none" }));
  await user.keyboard("{Escape}");
  expect(document.activeElement).toBe(row("c"));
  expect(location.hash).toBe("#/session/s");
  expect(screen.queryByRole("group", { name: "Details of step 3" })).toBeNull();
  for (const priority of ["high", "medium", "low", null]) {
    // oxlint-disable-next-line no-await-in-loop
    await user.keyboard("p");
    expect(lastChange(desk)).toEqual(edited({ uid: "c", priority }));
  }
  await user.keyboard("i");
  expect(details("3")).toBeTruthy();
  await user.keyboard("i{ArrowLeft}");
  expect(screen.queryByRole("group", { name: "Details of step 3" })).toBeNull();
});

test("a priority is chosen with the mouse, and what was refused is not shown as chosen", async () => {
  const desk = await openSession();
  await user.click(screen.getByRole("button", { name: "Details of step 2" }));
  expect(isChecked(radio("high"))).toBe(true);
  await user.click(radio("low"));
  expect(lastChange(desk)).toEqual(edited({ uid: "b", priority: "low" }));
  await vi.waitFor(() => expect(within(row("b")).getByText("low", { selector: ".tag" })).toBeTruthy());
  desk.refusal = new Failure("STORAGE", "The disk is full.");
  await user.click(radio("medium"));
  await vi.waitFor(() => expect(isChecked(radio("low"))).toBe(true));
  await screen.findByText("“Step b” was not changed. The disk is full.", { selector: "bdi" });
});

test("arrow keys that are faster than the gateway end at the last priority", async () => {
  const desk = await openSession();
  row("c").focus();
  await user.keyboard("i{ArrowRight}");
  radio("low", "3").click();
  radio("medium", "3").click();
  radio("high", "3").click();
  const asked = () =>
    desk.calls.filter(({ type }) => type === "todo.edit").map(({ fields }) => fields.priority);
  await vi.waitFor(() => expect(asked()).toEqual(["low", "high"]));
  await vi.waitFor(() => expect(within(row("c")).getByText("high", { selector: ".tag" })).toBeTruthy());
  expect(isChecked(radio("high", "3"))).toBe(true);
});

test("active form and notes are saved as they are left, and taken away when they are emptied", async () => {
  const desk = await openSession();
  await user.click(screen.getByRole("button", { name: "Details of step 2" }));
  const form = within(details("2")).getByLabelText<HTMLInputElement>("Active form");
  expect(form.value).toBe("Doing b");
  await user.clear(form);
  await user.type(form, "Doing it{Enter}");
  expect(lastChange(desk)).toEqual(edited({ uid: "b", activeForm: "Doing it" }));
  await vi.waitFor(() => expect(within(row("b")).getByText("Doing it")).toBeTruthy());
  await user.clear(form);
  await user.keyboard("{Enter}");
  expect(lastChange(desk)).toEqual(edited({ uid: "b", activeForm: null }));

  const notes = within(details("2")).getByLabelText<HTMLTextAreaElement>("Notes");
  await user.type(notes, "One{Enter}two{Control>}{Enter}{/Control}");
  expect(lastChange(desk)).toEqual(edited({ uid: "b", notes: "One\ntwo" }));
  await user.type(notes, "!");
  await user.tab();
  expect(lastChange(desk)).toEqual(edited({ uid: "b", notes: "One\ntwo!" }));
});

test("Escape takes back what was typed, and then closes", async () => {
  const desk = await openSession();
  row("b").focus();
  await user.keyboard("i");
  const form = within(details("2")).getByLabelText<HTMLInputElement>("Active form");
  await user.type(form, "!{Escape}");
  expect(form.value).toBe("Doing b");
  expect(document.activeElement).toBe(form);
  await user.keyboard("{Escape}");
  expect(document.activeElement).toBe(row("b"));
  expect(desk.calls.map(({ type }) => type)).not.toContain("todo.edit");
});

test("Escape on a row closes its details first, and only then leaves", async () => {
  await openSession();
  row("b").focus();
  await user.keyboard("i");
  expect(details("2")).toBeTruthy();
  await user.keyboard("{Escape}");
  expect(screen.queryByRole("group", { name: "Details of step 2" })).toBeNull();
  expect(document.activeElement).toBe(row("b"));
  expect(location.hash).toBe("#/session/s");
  await user.keyboard("{Escape}");
  await vi.waitFor(() => expect(location.hash).toBe("#/"));
});

test("what could not be saved stays in its field, with the reason, whatever the agent writes", async () => {
  const desk = await openSession();
  await user.click(screen.getByRole("button", { name: "Details of step 2" }));
  const notes = within(details("2")).getByLabelText<HTMLTextAreaElement>("Notes");
  desk.refusal = new Failure("UNAVAILABLE", "The gateway is away.");
  await user.type(notes, "Keep me{Control>}{Enter}{/Control}");
  expect((await within(details("2")).findByRole("alert")).textContent).toBe("The gateway is away.");
  desk.write("s", [item("b", "in_progress", { notes: "By the agent" })]);
  await vi.waitFor(() => expect(row("b").dataset.position).toBe("1"));
  expect(notes.value).toBe("Keep me");
  desk.refusal = undefined;
  await user.type(notes, "{Control>}{Enter}{/Control}");
  expect(lastChange(desk)).toEqual(edited({ uid: "b", notes: "Keep me" }));
});

test("details say what is known of a step, and who made it so", async () => {
  const known = { description: "More of it", owner: "codex", estimate: "30min", dependsOn: ["x", "y"] };
  const desk = await openSession("s", [item("a", "pending", known), item("b")]);
  desk.write("s", [item("a", "completed", known), item("b")]);
  row("a").focus();
  await user.keyboard("pi");
  for (const words of ["More of it", "codex", "30min", "x, y"]) {
    expect(within(details("1")).getByText(words)).toBeTruthy();
  }
  await within(details("1")).findByText("Changed by you in the browser", { selector: "bdi" });
  expect(within(details("1")).getByText("Changed by codex over MCP", { selector: "bdi" })).toBeTruthy();
  expect(desk.calls.findLast(({ type }) => type === "session.revisions")?.fields).toMatchObject({ uid: "a" });
});

test("words typed into the details of a step that goes away come back with it", async () => {
  const desk = await openSession();
  await user.click(screen.getByRole("button", { name: "Details of step 3" }));
  await user.type(within(details("3")).getByLabelText("Notes"), "Ask Ann");
  desk.write("s", []);
  await screen.findByText(/^codex over MCP removed this step/);
  expect(within(row("c")).getByLabelText<HTMLTextAreaElement>("Notes").value).toBe("Ask Ann");
  await user.click(screen.getByRole("button", { name: "Restore it with this text" }));
  await vi.waitFor(() => expect(row("c").dataset.gone).toBeUndefined());
  expect(lastChange(desk)).toEqual(edited({ uid: "c", notes: "Ask Ann" }));
  await vi.waitFor(() => expect(document.activeElement).toBe(row("c")));
});

// K4
test("where several agents share the list, a step is assigned to one of them, and the row shows which", async () => {
  const desk = await openSession("s", undefined, { agents: ["codex", "codex 2"] });
  await user.click(screen.getByRole("button", { name: "Details of step 3" }));
  const field = within(details("3")).getByLabelText("Assigned to");
  expect(field.textContent).toContain("Any agent");
  await select(user, field, "codex 2");
  expect(lastChange(desk)).toEqual(edited({ uid: "c", owner: "codex 2" }));
  await vi.waitFor(() =>
    expect(within(row("c")).getByText("codex 2", { selector: ".fact bdi" })).toBeTruthy(),
  );
  await vi.waitFor(() => expect(field.textContent).toContain("codex 2"));
  await select(user, field, "Any agent");
  expect(lastChange(desk)).toEqual(edited({ uid: "c", owner: null }));
  await vi.waitFor(() =>
    expect(within(row("c")).queryByText("codex 2", { selector: ".fact bdi" })).toBeNull(),
  );
  desk.refusal = new Failure("STORAGE", "The disk is full.");
  await select(user, field, "codex");
  await screen.findByText("“Step c” was not changed. The disk is full.", { selector: "bdi" });
  expect(field.textContent).toContain("Any agent");
});

test("an owner that is no agent of the list stays among the choices", async () => {
  const desk = await openSession("s", [item("a"), item("b", "pending", { owner: "planner" })], {
    agents: ["codex", "claude"],
  });
  await user.click(screen.getByRole("button", { name: "Details of step 2" }));
  const field = within(details("2")).getByLabelText("Assigned to");
  expect(field.textContent).toContain("planner");
  await user.click(field);
  const options = (await screen.findAllByRole("option")).map(({ textContent }) => textContent?.trim());
  expect(options).toEqual(["Any agent", "planner", "codex", "claude"]);
  await user.keyboard("{Escape}");
  await user.click(screen.getByRole("button", { name: "Details of step 2" }));
  expect(desk.calls.some(({ type }) => type === "todo.edit")).toBe(false);
});

test("a list of one agent has nobody to choose from", async () => {
  await openSession("s", [item("a"), item("b", "pending", { owner: "planner" })]);
  await user.click(screen.getByRole("button", { name: "Details of step 2" }));
  expect(within(details("2")).queryByLabelText("Assigned to")).toBeNull();
  expect(within(details("2")).getByText("planner")).toBeTruthy();
});
