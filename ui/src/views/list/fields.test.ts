import { cleanup, screen, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { Failure } from "../../backend/backend";
import { m } from "../../paraglide/messages";
import type { Desk } from "../../testing/desk";
import { lastChange, openSession, row, shown, withBrowser } from "../../testing/page";

const user = userEvent.setup();

withBrowser();

const field = (name: string) => screen.getByRole<HTMLInputElement>("textbox", { name });
const alerts = (words: string) =>
  screen.queryAllByRole("alert").filter(({ textContent }) => textContent === words);
const half = () => field("Insert a step at 2");
const FIELDS = ["Text of step 1", "Notes", "Insert a step at 3", "Add a step"];
const typed = () => FIELDS.map((name) => field(name).value);

/** Types into each of the fields of a list, and has it refused. */
async function refuseAll(desk: Desk, refusal: Failure): Promise<void> {
  desk.tell({ type: "gateway.state", state: "disconnected" });
  desk.refusal = refusal;
  row("a").focus();
  await user.keyboard("{Enter}One{Enter}");
  await user.click(screen.getByRole("button", { name: "Details of step 3" }));
  await user.type(field("Notes"), "Two{Control>}{Enter}{/Control}");
  row("b").focus();
  await user.keyboard("oThree{Enter}");
  await user.type(field("Add a step"), "Four{Enter}");
  await vi.waitFor(() => expect(alerts(refusal.message)).toHaveLength(FIELDS.length));
}

test("that the gateway is gone is said under no field once it is back, and what was typed is still there", async () => {
  const desk = await openSession();
  await refuseAll(desk, new Failure("UNAVAILABLE", m.common_gone()));
  desk.refusal = undefined;
  desk.snapshot();
  await vi.waitFor(() => expect(alerts(m.common_gone())).toEqual([]));
  expect(typed()).toEqual(["One", "Two", "Three", "Four"]);
});

test("any other failure stays under its field", async () => {
  const desk = await openSession();
  await refuseAll(desk, new Failure("STORAGE", "The disk is full."));
  desk.snapshot();
  await vi.waitFor(() => expect(screen.queryByText(/reconnect/i)).toBeNull());
  expect(alerts("The disk is full.")).toHaveLength(FIELDS.length);
});

test("a step that is typed between two others stays with its session, also over a reload, until it is added", async () => {
  const desk = await openSession();
  row("a").focus();
  await user.keyboard("oHalf a step");
  location.hash = "#/";
  await user.click(await screen.findByRole("link", { name: /^codex · project-s, / }));
  await vi.waitFor(() => expect(half().value).toBe("Half a step"));
  expect(screen.queryByText(/^Not added/), "nothing is lost").toBeNull();
  cleanup();
  const again = await openSession();
  await vi.waitFor(() => expect(half().value).toBe("Half a step"));
  expect(within(row("b")).queryByRole("textbox")).toBe(half());
  await user.type(half(), " more{Enter}");
  await vi.waitFor(() => expect(shown()).toHaveLength(5));
  expect(lastChange(again)?.fields).toMatchObject({ content: "Half a step more", position: "2" });
  expect(sessionStorage).toHaveLength(0);
  expect(desk.calls.map(({ type }) => type)).not.toContain("todo.add");
});

test.each(["{", "[]", "null", '{"uid":1}'])("a kept place that is none, %s, opens no field", async (kept) => {
  sessionStorage.setItem("insert-at s", kept);
  await openSession();
  expect(shown()).toEqual(["a", "b", "b1", "c"]);
  expect(screen.queryByRole("textbox", { name: /^Insert a step/ })).toBeNull();
});
