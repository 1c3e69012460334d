import { screen, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { Failure } from "../../backend/backend";
import type { Desk } from "../../testing/desk";
import { openTalk, withBrowser } from "../../testing/page";
import { edit, item } from "../../testing/samples";

const user = userEvent.setup();

withBrowser();

const open = (prepare?: (desk: Desk) => void): Promise<Desk> => {
  const note = edit(undefined, { kind: "note", text: "mind the tests" });
  return openTalk({ todos: [item("a", "in_progress")], edits: [note] }, prepare);
};

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

test("where a failed run cannot go on, another model answers what is said next", async () => {
  const desk = await open((made) => {
    made.chat.end("s", { kind: "end", outcome: "failed", message: "ollama is not there" });
    made.chat.end("s", { kind: "end", outcome: "failed", message: "openai refuses the key" });
  });
  expect(messages().queryByRole("button", { name: "Resume" })).toBeNull();
  expect(messages().getAllByRole("link", { name: "Settings of the built-in agent" })).toHaveLength(1);
  await user.click(messages().getByRole("button", { name: "Choose another model" }));
  await user.dblClick(await screen.findByRole("option", { name: "gpt-5" }));
  await user.type(screen.getByRole("textbox", { name: "Message" }), "Again{Enter}");
  expect(last(desk, "chat.send")).toMatchObject({ content: "Again", model: "openai:gpt-5" });
  await vi.waitFor(() => expect(messages().queryByRole("link")).toBeNull());
  expect(messages().queryByRole("button", { name: "Choose another model" })).toBeNull();
});

const resume = () => messages().getByRole<HTMLButtonElement>("button", { name: "Resume" });
const resumptions = (desk: Desk) => desk.calls.filter(({ type }) => type === "chat.resume").length;

function interrupted(desk: Desk): void {
  desk.chat.end("s", { kind: "end", outcome: "failed", message: "it broke" }, true);
}

test("a run is asked to go on once, however often that is clicked", async () => {
  const desk = await open(interrupted);
  desk.chat.held = [];
  await user.dblClick(resume());
  expect(resumptions(desk)).toBe(1);
  expect([resume().disabled, resume().getAttribute("aria-busy")]).toEqual([true, "true"]);
  expect(messages().getByRole<HTMLButtonElement>("button", { name: "Choose another model" }).disabled).toBe(
    true,
  );
  await user.type(screen.getByRole("textbox", { name: "Message" }), "Well{Enter}");
  expect(last(desk, "chat.send"), "it would be refused").toBeUndefined();
  const { held } = desk.chat;
  desk.chat.held = undefined;
  for (const go of held) go();
  expect(await screen.findByText("Going on")).toBeTruthy();
  expect(screen.queryByRole("alert")).toBeNull();
  expect(screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Message" }).value).toBe("Well");
});

test("who wants it to go on, and finds that it does, is told of no error", async () => {
  const desk = await open(interrupted);
  desk.chat.held = [];
  await user.click(resume());
  const { held } = desk.chat;
  desk.chat.held = undefined;
  // From another window, of which this one has not heard.
  desk.chat.chats.set("s", {
    ...desk.chat.open("s"),
    run: { requestId: "other", content: "", reasoning: "", doing: "Going on there" },
  });
  for (const go of held) go();
  expect(await screen.findByText("Going on there")).toBeTruthy();
  expect(screen.queryByRole("alert")).toBeNull();
});

test("why it could not go on is said until it does", async () => {
  const desk = await open(interrupted);
  desk.chat.refusals["chat.resume"] = new Failure("UNAVAILABLE", "the connection broke");
  await user.click(resume());
  expect((await screen.findByRole("alert")).textContent).toContain("The connection broke.");
  expect(resume().disabled).toBe(false);
  desk.chat.begin("s", "run-3", "Going on after all");
  expect(await screen.findByText("Going on after all")).toBeTruthy();
  expect(screen.queryByRole("alert")).toBeNull();
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
    /1 pending, delivered when it goes on\s*mind the tests\s*↥ delivered when it goes on/,
  );
  desk.chat.begin("s");
  await vi.waitFor(() =>
    expect(line?.textContent).toMatch(
      /1 pending, delivered with its next step\s*mind.*↥ delivered with its next step/s,
    ),
  );
});
