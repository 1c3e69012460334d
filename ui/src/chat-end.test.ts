import { screen, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { builtIn } from "./testing/chat";
import { Desk } from "./testing/desk";
import { openConversation, stubBrowser } from "./testing/page";
import { edit, item } from "./testing/samples";

const user = userEvent.setup();

beforeEach(stubBrowser);

afterEach(() => {
  location.hash = "#/";
});

async function open(prepare: (desk: Desk) => void = () => {}): Promise<Desk> {
  const note = edit(undefined, { kind: "note", text: "mind the tests" });
  const desk = new Desk([builtIn("s", { todos: [item("a", "in_progress")], edits: [note] })]);
  desk.chat.open("s");
  prepare(desk);
  await openConversation(desk);
  return desk;
}

const messages = () => within(screen.getByRole("list", { name: "Messages" }));
const last = (desk: Desk, type: string) => desk.calls.findLast((call) => call.type === type)?.fields;

test("where a run failed another model can be chosen, and goes on with it", async () => {
  const desk = await open((made) => {
    made.chat.end("s", { kind: "end", outcome: "failed", message: "openai refuses the key" }, true);
  });
  expect(messages().getByRole("link", { name: "Settings of the built-in agent" }).getAttribute("href")).toBe(
    "#/settings",
  );
  await user.click(messages().getByRole("button", { name: "Choose another model" }));
  const picker = within(screen.getByRole("dialog", { name: "Models" }));
  await user.dblClick(await picker.findByRole("option", { name: "gpt-5" }));
  expect(screen.queryByRole("dialog")).toBeNull();
  expect(screen.getByRole("button", { name: "Model: openai:gpt-5" })).toBeTruthy();
  await user.click(messages().getByRole("button", { name: "Resume" }));
  expect(last(desk, "chat.resume")).toEqual({ sessionId: "s", model: "openai:gpt-5" });
});

test("of a run that was interrupted the model is not to blame", async () => {
  await open((made) => {
    made.chat.end("s", { kind: "end", outcome: "failed", message: "openai refuses the key" });
    made.chat.end("s", { kind: "end", outcome: "interrupted", message: "" }, true);
  });
  expect(messages().getByRole("button", { name: "Resume" })).toBeTruthy();
  expect(messages().queryByRole("button", { name: "Choose another model" })).toBeNull();
  expect(messages().queryByRole("link")).toBeNull();
});

test("the built-in agent hears with its next step, or when it goes on", async () => {
  const desk = await open((made) => made.chat.end("s", { kind: "end", outcome: "completed", message: "" }));
  const line = document.querySelector('[data-field="tell"]');
  expect(line?.textContent).toMatch(
    /1 queued, heard when it goes on\s*mind the tests\s*↥ heard when it goes on/,
  );
  desk.chat.begin("s");
  await vi.waitFor(() =>
    expect(line?.textContent).toMatch(
      /1 queued, heard with its next step\s*mind.*↥ heard with its next step/s,
    ),
  );
});
