// Pasted text stays whole: an excess is told beside its field and not sent, and no field cuts it.
import { render, screen, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { builtIn } from "./testing/chat";
import { Desk } from "./testing/desk";
import { openConversation, openSession, withBrowser } from "./testing/page";
import { item } from "./testing/samples";
import Window from "./window/Window.svelte";

const user = userEvent.setup();

withBrowser();

const PROMPT = 100_000;
const TEXT = 2_000;
const components = import.meta.glob<string>("./**/*.svelte", {
  query: "?raw",
  import: "default",
  eager: true,
});

const field = (name: string) => screen.getByRole<HTMLTextAreaElement>("textbox", { name });
const button = (name: string | RegExp) => screen.getByRole<HTMLButtonElement>("button", { name });
const last = (desk: Desk, type: string) => desk.calls.findLast((call) => call.type === type)?.fields;

/** Pastes over what is there. */
async function paste(into: HTMLElement, text: string): Promise<void> {
  await user.clear(into);
  await user.click(into);
  await user.paste(text);
}

/** The words about a field, by its description. */
function said(of: HTMLElement): string {
  const ids = of.getAttribute("aria-describedby")?.split(" ") ?? [];
  return ids.map((id) => document.getElementById(id)?.textContent).join(" ");
}

function expectTooLong(of: HTMLElement, words: string): void {
  expect(said(of)).toContain(words);
  expect(of.getAttribute("aria-invalid")).toBe("true");
}

async function open(): Promise<Desk> {
  const desk = new Desk([builtIn("s", { todos: [item("a", "in_progress")] })]);
  desk.chat.open("s");
  await openConversation(desk);
  return desk;
}

test("no field has a maxlength, by which a browser cuts without a word", () => {
  expect(Object.keys(components).length).toBeGreaterThan(50);
  const cutting = Object.entries(components).filter(([, source]) => /maxlength/i.test(source));
  expect(cutting.map(([path]) => path)).toEqual([]);
});

test("a prompt that is too long stays whole, says how much, and is sent once it is short enough", async () => {
  const desk = await open();
  const long = "x".repeat(PROMPT + 2_134);
  await paste(field("Message"), long);
  expect(field("Message").value).toBe(long);
  expectTooLong(field("Message"), "2,134 characters too long. Shorten it, or send it in parts.");
  expect(document.querySelector("[aria-live]")?.textContent).toContain("2,134 characters");
  expect(button("Send").disabled).toBe(true);
  await user.type(field("Message"), "{Enter}");
  expect(last(desk, "chat.send")).toBeUndefined();
  expect(field("Message").value).toBe(long);
  const whole = "😀".repeat(PROMPT);
  await paste(field("Message"), whole);
  expect(said(field("Message"))).not.toContain("too long");
  expect(field("Message").getAttribute("aria-invalid")).toBe("false");
  await user.type(field("Message"), "{Enter}");
  expect(last(desk, "chat.send")?.content).toBe(whole);
});

test("a note is shorter than a message: while a run goes on it is said of the one, then of the other", async () => {
  const desk = await open();
  desk.chat.begin("s");
  await screen.findByText("Planning");
  const long = "x".repeat(TEXT + 1);
  await paste(field("Message"), long);
  expectTooLong(field("Message"), "1 character too long for a note. Shorten it, or send it as a message");
  await user.keyboard("{Enter}");
  expect(last(desk, "note.send")).toBeUndefined();
  expect(field("Message").value).toBe(long);
  desk.chat.end("s", { kind: "end", outcome: "completed", message: "" });
  await vi.waitFor(() => expect(button("Send").disabled).toBe(false));
  expect(said(field("Message"))).not.toContain("too long");
  await user.type(field("Message"), "{Enter}");
  expect(last(desk, "chat.send")?.content).toBe(long);
});

test.each([
  ["Tell the agent", "note.send", "Shorten it, or tell it in parts."],
  ["Add a step", "todo.add", "Shorten it, or add several steps."],
])("%s", async (name, type, remedy) => {
  const desk = await openSession();
  const line = screen.getByLabelText<HTMLInputElement>(name);
  const long = "x".repeat(TEXT + 12);
  await paste(line, long);
  expectTooLong(line, `12 characters too long. ${remedy}`);
  await user.keyboard("{Enter}");
  expect(last(desk, type)).toBeUndefined();
  expect(line.value).toBe(long);
  await paste(line, long.slice(12));
  expect(line.getAttribute("aria-invalid")).toBe("false");
  await user.keyboard("{Enter}");
  expect(last(desk, type)).toBeDefined();
});

test("a task and its folder", async () => {
  const desk = new Desk([]);
  location.hash = "#/chat";
  render(Window, { backend: desk });
  await paste(await screen.findByRole("textbox", { name: "Task" }), "x".repeat(PROMPT + 1));
  expectTooLong(field("Task"), "1 character too long");
  expect(button("Begin").disabled).toBe(true);
  await paste(field("Task"), "Tidy up");
  const folder = screen.getByLabelText<HTMLInputElement>("Folder");
  await paste(folder, "/".repeat(40_000));
  expect(folder.value).toHaveLength(40_000);
  expectTooLong(folder, "7,233 characters too long. Leave only the path of the folder.");
  expect(button("Begin").disabled).toBe(true);
  await user.type(field("Task"), "{Enter}");
  expect(last(desk, "chat.send")).toBeUndefined();
  await paste(folder, "/home/me");
  await user.click(button("Begin"));
  expect(last(desk, "chat.send")).toEqual({ content: "Tidy up", folder: "/home/me" });
});

test("what is too long is not searched for, and what is left of it is", async () => {
  location.hash = "#/history";
  render(Window, { backend: new Desk([]) });
  const search = await screen.findByRole<HTMLInputElement>("textbox", { name: "Search every list" });
  await paste(search, "x".repeat(1_020));
  expect(search.value).toHaveLength(1_020);
  expectTooLong(search, "20 characters too long to search for. Shorten it.");
  expect(location.hash).toBe("#/history");
  await user.keyboard("{Backspace>20/}");
  expect(location.hash).toContain("x".repeat(1_000));
  expect(said(search)).toBe("");
  await user.paste("y");
  await user.click(screen.getByRole("button", { name: "Clear search" }));
  expect(search.value).toBe("");
  expect(location.hash).toBe("#/history");
});

test("a key is kept as it was pasted", async () => {
  const desk = new Desk([]);
  location.hash = "#/settings";
  render(Window, { backend: desk });
  const key = await screen.findByLabelText<HTMLInputElement>("Key of openai");
  await paste(key, "k".repeat(3_000));
  await user.click(within(key.form as HTMLElement).getByRole("button", { name: "Set the key of openai" }));
  expect(last(desk, "vault.keys.set")).toEqual({
    provider: "openai",
    key: "k".repeat(3_000),
    origin: "https://api.openai.com",
  });
});
